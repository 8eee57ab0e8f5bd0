#include "osquery/settings.h"

#include <fmt/format.h>

namespace patchbay::osquery {

Error too_much_time(const Settings& settings) {
  return {Code::timeout, fmt::format("the query was cut: it took longer than {}",
                                     config::print(settings.timeout))};
}

Error too_much_processor(const Settings& settings) {
  return {Code::timeout, fmt::format("the query was cut: it used more than {} of processor time",
                                     config::print(settings.cpu_timeout))};
}

Error too_much_memory(const Settings& settings) {
  return {Code::too_large, fmt::format("the query was cut: it needs more memory than it may have "
                                       "({})",
                                       config::print(settings.memory))};
}

Error too_many_rows(const Settings& settings) {
  return {Code::too_large, fmt::format("the query was cut: it yields more than {} rows; "
                                       "narrow it with WHERE or LIMIT",
                                       settings.rows)};
}

Error too_many_bytes(const Settings& settings) {
  return {Code::too_large, fmt::format("the query was cut: its answer is larger than {}; "
                                       "name fewer columns, or narrow it",
                                       config::print(settings.bytes))};
}

}  // namespace patchbay::osquery
