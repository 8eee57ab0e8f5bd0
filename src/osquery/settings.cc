#include "osquery/settings.h"

#include "config/fields.h"

#include <fmt/format.h>

namespace patchbay::osquery {

Error too_much_time(const Settings& settings) {
  return {Code::timeout, fmt::format("the query was aborted: it took longer than {}",
                                     config::print(settings.timeout))};
}

Error too_much_processor(const Settings& settings) {
  return {Code::timeout,
          fmt::format("the query was aborted: it used more than {} of processor time",
                      config::print(settings.cpu_timeout))};
}

Error too_much_memory(const Settings& settings) {
  return {Code::too_large, fmt::format("the query was aborted: it needs more memory than allowed "
                                       "({})",
                                       config::print(settings.memory))};
}

Error too_many_rows(const Settings& settings) {
  return {Code::too_large, fmt::format("the query was aborted: it yields more than {} rows; "
                                       "narrow it with WHERE or LIMIT",
                                       settings.rows)};
}

Error too_many_bytes(const Settings& settings) {
  return {Code::too_large, fmt::format("the query was aborted: its answer is larger than {}; "
                                       "name fewer columns, or narrow it",
                                       config::print(settings.bytes))};
}

}  // namespace patchbay::osquery

namespace patchbay {

template <>
const config::Fields& config::fields<osquery::Settings>() {
  static const Fields kFields = fields_of<osquery::Settings>({
      {"engine", &osquery::Settings::engine,
       "Engine that runs queries: osqueryi, builtin (the built-in tables), or auto (osqueryi if "
       "it is installed)."},
      {"osqueryi", &osquery::Settings::osqueryi,
       "Program osqueryi: a path, or a name found in PATH. No shell is involved."},
      {"timeout", &osquery::Settings::timeout, "Maximum duration of a query.",
       Range{Duration(10), Duration(3'600'000)}},
      {"cpu_timeout", &osquery::Settings::cpu_timeout,
       "Maximum processor time of a query, in whole seconds.",
       Range{Duration(1'000), Duration(3'600'000)}},
      {"max_rows", &osquery::Settings::rows, "Maximum number of rows in a result.",
       Range{1, 10'000'000}, Alias{"rows"}},
      {"max_result_size", &osquery::Settings::bytes, "Maximum size of a result.",
       Range{Bytes{1024}, Bytes{1 << 30}}, Alias{"bytes"}},
      {"max_memory", &osquery::Settings::memory, "Maximum memory of a query.",
       Range{Bytes{8 << 20}, Bytes{std::uint64_t{1} << 36}}, Alias{"memory"}},
      {"max_statement_size", &osquery::Settings::statement, "Maximum size of the SQL text.",
       Range{Bytes{64}, Bytes{1 << 20}}, Alias{"statement"}},
      {"max_queries", &osquery::Settings::queries,
       "Maximum number of queries running at the same time.", Range{1, 64}, Alias{"queries"}},
      {"max_queued_queries", &osquery::Settings::waiting,
       "Maximum number of queued queries. Further queries are refused.", Range{0, 100'000},
       Alias{"waiting"}},
      {"denylist_ttl", &osquery::Settings::denied_for,
       "How long a query is refused after it exceeded its time, rows or size.",
       Range{Duration(0), Duration(604'800'000)}, Alias{"denied_for"}},
      {"allowed_tables", &osquery::Settings::allowed_tables,
       "Tables that may be read. Empty: all that are not denied."},
      {"denied_tables", &osquery::Settings::denied_tables, "Tables that may never be read."},
      {"file_roots", &osquery::Settings::file_roots,
       "Folders whose files the built-in tables `file` and `hash` list."},
      {"max_hash_size", &osquery::Settings::hash_size, "Maximum size of a file that `hash` reads.",
       Range{Bytes{0}, Bytes{std::uint64_t{1} << 40}}, Alias{"hash_size"}},
      {"extra_tools", &osquery::Settings::extra_tools,
       "Offers list_tables, describe_table and get_processes, and the argument `template` of "
       "query_osquery."},
      {"templates", &osquery::Settings::templates, "Queries for the argument `template`, by name."},
  });
  return kFields;
}

}  // namespace patchbay
