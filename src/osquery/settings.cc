#include "osquery/settings.h"

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
