// The section `audit`. Values only.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "config/fields.h"

namespace patchbay::policy {

enum class AuditArguments : std::uint8_t { none, digest, full };

struct AuditSettings {
  std::string file;
  config::Bytes rotate{64 << 20};
  int keep = 10;
  std::string database;
  config::Duration keep_time{0};
  AuditArguments arguments = AuditArguments::digest;
  std::vector<std::string> redact{"*password*", "*secret*",     "*token*",       "*api_key*",
                                  "*apikey*",   "*credential*", "authorization", "cookie"};
  bool required = false;
  bool sync = false;
  int queue = 10'000;
  int max_failed_log_ins = 60;

  bool operator==(const AuditSettings&) const = default;
  bool on() const { return !file.empty() || !database.empty(); }
};

}  // namespace patchbay::policy

namespace patchbay {

template <>
inline constexpr auto config::choices<policy::AuditArguments> = std::array{
    Choice{"none", policy::AuditArguments::none},
    Choice{"digest", policy::AuditArguments::digest},
    Choice{"full", policy::AuditArguments::full},
};

template <>
inline constexpr auto config::fields<policy::AuditSettings> = std::tuple{
    Field{"file", &policy::AuditSettings::file, "Where records are written, one JSON a line."},
    Field{"rotate", &policy::AuditSettings::rotate,
          "The size at which the file is put aside and begun anew.",
          Range{Bytes{4096}, Bytes{std::uint64_t{1} << 40}}},
    Field{"keep", &policy::AuditSettings::keep, "How many files are kept that were put aside.",
          Range{0, 10'000}},
    Field{"database", &policy::AuditSettings::database,
          "An SQLite file that records are written to, for `patchbay audit`."},
    Field{"keep_time", &policy::AuditSettings::keep_time,
          "How long records stay in the database; 0: for ever.",
          Range{Duration(0), Duration(315'360'000'000)}},
    Field{"arguments", &policy::AuditSettings::arguments,
          "What is written of the arguments of a call: nothing, their SHA-256, or all of them with "
          "what `redact` names left out."},
    Field{"redact", &policy::AuditSettings::redact,
          "Members whose values are never written, at any depth: patterns, in any case of "
          "letters."},
    Field{"required", &policy::AuditSettings::required,
          "Whether a call is refused when its record cannot be kept."},
    Field{"sync", &policy::AuditSettings::sync,
          "Whether records are on the disk before they count as kept."},
    Field{"queue", &policy::AuditSettings::queue, "How many records may wait to be written.",
          Range{1, 10'000'000}},
    Field{"max_failed_log_ins", &policy::AuditSettings::max_failed_log_ins,
          "How many failed log-ins have a record each, in a minute; further ones are counted.",
          Range{0, 1'000'000}},
};

}  // namespace patchbay
