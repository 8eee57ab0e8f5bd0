// A Zone knows the local time of a time zone at any moment. It is read from a TZif file (RFC 9636),
// the format of the system's time zone database, or made from a fixed offset.
//
// The C library's own reader is not used: it works through the TZ variable, one zone at a time for
// the whole process. Values only; usable from any thread.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/result.h"
#include "skills/posix_rule.h"

namespace patchbay {

inline constexpr std::string_view kZoneDirectory = "/usr/share/zoneinfo";
inline constexpr std::size_t kMaxZoneNameBytes = 64;
inline constexpr std::size_t kMaxZoneFileBytes = 256 * 1024;  // Real ones are below 4 KiB.

class Zone {
 public:
  static Zone fixed(std::chrono::seconds offset, std::string abbreviation);

  // A zone that changes its clocks by `rule` at all times.
  static Zone ruled(PosixRule rule);

  // Reads the contents of a TZif file of any version.
  static Result<Zone> parse(std::string_view tzif);

  ZoneTime at(std::chrono::sys_seconds moment) const;

 private:
  friend class TzifReader;

  struct Transition {
    std::chrono::sys_seconds when;
    std::uint8_t type;  // From then on; an index of types_.
  };

  std::vector<Transition> transitions_;  // Ascending.
  std::vector<ZoneTime> types_;          // The first one applies before all transitions.
  std::optional<PosixRule> rule_;        // Holds after all transitions.
};

// The zone with the IANA name `name`, such as "Europe/Berlin", from the database in `directory`.
Result<Zone> load_zone(std::string_view name, std::string_view directory = kZoneDirectory);

// The zone of this machine, or of the TZ variable of this process; UTC if neither is set.
Result<Zone> local_zone();

}  // namespace patchbay
