// The settings of goals: how long they may be, which skills are tried in which order, and what the
// osquery skill may query.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <tuple>
#include <vector>

#include "config/settings.h"
#include "core/private_tables.h"

namespace patchbay::gateway {

// Whether SQL in a goal is run.
enum class RawSql : std::uint8_t {
  validated,  // One statement that reads, and names no denied table, is passed on.
  off,        // Only known questions.
  any,        // A text that is not a known question is passed on as SQL.
};

struct OsqueryGoalSettings {
  std::string upstream = "osquery";
  std::string tool = "query_osquery";
  RawSql raw_sql = RawSql::validated;
  std::vector<std::string> denied_tables{kPrivateTables.begin(), kPrivateTables.end()};
};

struct GoalSettings {
  int length = 10'000;
  int steps = 16;
  config::Bytes step{1 << 20};
  std::vector<std::string> skills;
  int sentences = 3;
  OsqueryGoalSettings osquery;

  // Not in the file: set once the upstreams are known.
  std::string builtin = {};  // The upstream of the compiled-in skills; empty: none.
  bool has_osquery = false;  // osquery.upstream is one of them.
};

}  // namespace patchbay::gateway

namespace patchbay {

template <>
inline constexpr auto config::choices<gateway::RawSql> = std::array{
    Choice{"validated", gateway::RawSql::validated},
    Choice{"off", gateway::RawSql::off},
    Choice{"any", gateway::RawSql::any},
};

template <>
const config::Fields& config::fields<gateway::OsqueryGoalSettings>();

template <>
const config::Fields& config::fields<gateway::GoalSettings>();

}  // namespace patchbay
