// The settings of goals: how long they may be, which skills are tried in which order, and what the
// osquery skill may query.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <tuple>
#include <vector>

#include "config/fields.h"

namespace patchbay::gateway {

// Whether SQL in a goal is run.
enum class RawSql : std::uint8_t {
  validated,  // One statement that reads, and names no denied table, is passed on.
  off,        // Only the known questions.
  any,        // What is no known question is passed on as SQL.
};

struct OsqueryGoalSettings {
  std::string upstream = "osquery";
  std::string tool = "query_osquery";
  RawSql raw_sql = RawSql::validated;
  // Tables that access the network, copy files, or reveal what people typed and programs store
  // privately.
  std::vector<std::string> denied_tables{
      "carves",        "curl", "curl_certificate", "process_envs", "process_memory_map", "shadow",
      "shell_history", "yara", "yara_events"};
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
inline constexpr auto config::fields<gateway::OsqueryGoalSettings> = std::tuple{
    Field{"upstream", &gateway::OsqueryGoalSettings::upstream,
          "The upstream that answers questions about this machine."},
    Field{"tool", &gateway::OsqueryGoalSettings::tool, "Its tool that takes SQL."},
    Field{"raw_sql", &gateway::OsqueryGoalSettings::raw_sql,
          "What becomes of SQL in a goal: validated passes on one statement that reads, off only "
          "what is asked in words, any passes on whatever is not understood."},
    Field{"denied_tables", &gateway::OsqueryGoalSettings::denied_tables,
          "Tables that goals may not name, unless raw_sql is any: such a goal is refused before "
          "anything is sent to the server."},
};

template <>
inline constexpr auto config::fields<gateway::GoalSettings> = std::tuple{
    Field{"length", &gateway::GoalSettings::length, "The longest goal, in characters.",
          Range{1, 1'000'000}},
    Field{"steps", &gateway::GoalSettings::steps, "The most steps of a goal.", Range{1, 1000}},
    Field{"step", &gateway::GoalSettings::step, "The largest step once {previous} is filled in.",
          Range{Bytes{1024}, Bytes{16 << 20}}},
    Field{"skills", &gateway::GoalSettings::skills,
          "Which skills goals may use, in the order in which they are asked whether a goal is "
          "theirs. Absent: all of them."},
    Field{"sentences", &gateway::GoalSettings::sentences,
          "How many sentences a summary has if the goal does not say.", Range{1, 20}},
    Field{"osquery", &gateway::GoalSettings::osquery,
          "How questions about this machine are asked."},
};

}  // namespace patchbay
