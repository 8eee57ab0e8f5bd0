#include "policy/audit/settings.h"

#include "config/fields.h"

namespace patchbay {

template <>
const config::Fields& config::fields<policy::AuditSettings>() {
  static const Fields kFields = fields_of<policy::AuditSettings>({
      {"file", &policy::AuditSettings::file, "File for audit records, one JSON object per line."},
      {"max_file_size", &policy::AuditSettings::rotate,
       "Maximum size of the file. At this size, it is rotated.",
       Range{Bytes{4096}, Bytes{std::uint64_t{1} << 40}}, Alias{"rotate"}},
      {"max_rotated_files", &policy::AuditSettings::keep,
       "Maximum number of rotated files. The oldest are deleted.", Range{0, 10'000}, Alias{"keep"}},
      {"database", &policy::AuditSettings::database,
       "SQLite file for audit records, for `patchbay audit`."},
      {"record_ttl", &policy::AuditSettings::keep_time,
       "How long records stay in the database. 0: forever.",
       Range{Duration(0), Duration(315'360'000'000)}, Alias{"keep_time"}},
      {"arguments", &policy::AuditSettings::arguments,
       "How the arguments of a call are recorded: none, digest (SHA-256), or full without the "
       "members that `redact` names."},
      {"redact", &policy::AuditSettings::redact,
       "Patterns of members whose values are never recorded, at any depth; case-insensitive."},
      {"required", &policy::AuditSettings::required,
       "Whether a call is refused if its record cannot be stored."},
      {"sync", &policy::AuditSettings::sync,
       "Whether records are flushed to disk before they count as stored."},
      {"max_queued_records", &policy::AuditSettings::queue,
       "Maximum number of records waiting to be written.", Range{1, 10'000'000}, Alias{"queue"}},
      {"max_failed_log_ins", &policy::AuditSettings::max_failed_log_ins,
       "Maximum number of failed log-ins recorded individually per minute. Further ones are "
       "only counted.",
       Range{0, 1'000'000}},
      {"max_queries", &policy::AuditSettings::max_queries,
       "Maximum number of queries of the database that run concurrently for the control API. Each "
       "occupies a thread.",
       Range{1, 64}},
      {"max_queued_queries", &policy::AuditSettings::max_queued_queries,
       "Maximum number of further queries that wait. Beyond it, queries are answered with 503.",
       Range{1, 100'000}},
      {"max_queries_per_caller", &policy::AuditSettings::max_queries_per_caller,
       "Maximum number of queries of one caller that run or wait. Beyond it, they are answered "
       "with 429.",
       Range{1, 100'000}},
  });
  return kFields;
}

}  // namespace patchbay
