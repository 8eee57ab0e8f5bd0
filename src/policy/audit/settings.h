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
    Field{"file", &policy::AuditSettings::file,
          "File for audit records, one JSON object per line."},
    Field{"max_file_size", &policy::AuditSettings::rotate,
          "Maximum size of the file. At this size, it is rotated.",
          Range{Bytes{4096}, Bytes{std::uint64_t{1} << 40}}, Alias{"rotate"}},
    Field{"max_rotated_files", &policy::AuditSettings::keep,
          "Maximum number of rotated files. The oldest are deleted.", Range{0, 10'000},
          Alias{"keep"}},
    Field{"database", &policy::AuditSettings::database,
          "SQLite file for audit records, for `patchbay audit`."},
    Field{"record_ttl", &policy::AuditSettings::keep_time,
          "How long records stay in the database. 0: forever.",
          Range{Duration(0), Duration(315'360'000'000)}, Alias{"keep_time"}},
    Field{"arguments", &policy::AuditSettings::arguments,
          "How the arguments of a call are recorded: none, digest (SHA-256), or full without the "
          "members that `redact` names."},
    Field{"redact", &policy::AuditSettings::redact,
          "Patterns of members whose values are never recorded, at any depth; case-insensitive."},
    Field{"required", &policy::AuditSettings::required,
          "Whether a call is refused if its record cannot be stored."},
    Field{"sync", &policy::AuditSettings::sync,
          "Whether records are flushed to disk before they count as stored."},
    Field{"max_queued_records", &policy::AuditSettings::queue,
          "Maximum number of records waiting to be written.", Range{1, 10'000'000}, Alias{"queue"}},
    Field{"max_failed_log_ins", &policy::AuditSettings::max_failed_log_ins,
          "Maximum number of failed log-ins recorded individually per minute. Further ones are "
          "only counted.",
          Range{0, 1'000'000}},
};

}  // namespace patchbay
