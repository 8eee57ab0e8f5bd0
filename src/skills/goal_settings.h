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
          "Upstream that answers questions about this machine."},
    Field{"tool", &gateway::OsqueryGoalSettings::tool, "Tool of that upstream that takes SQL."},
    Field{"raw_sql", &gateway::OsqueryGoalSettings::raw_sql,
          "SQL in goals: validated allows one read-only statement, off allows known questions "
          "only, any passes on whatever is not a known question."},
    Field{"denied_tables", &gateway::OsqueryGoalSettings::denied_tables,
          "Tables that goals may not name, unless raw_sql is any. Such a goal is refused before "
          "anything is sent to the upstream."},
};

template <>
inline constexpr auto config::fields<gateway::GoalSettings> = std::tuple{
    Field{"max_length", &gateway::GoalSettings::length, "Maximum length of a goal, in characters.",
          Range{1, 1'000'000}, Alias{"length"}},
    Field{"max_steps", &gateway::GoalSettings::steps, "Maximum number of steps in a goal.",
          Range{1, 1000}, Alias{"steps"}},
    Field{"max_step_size", &gateway::GoalSettings::step,
          "Maximum size of a step after {previous} is filled in.",
          Range{Bytes{1024}, Bytes{16 << 20}}, Alias{"step"}},
    Field{"skills", &gateway::GoalSettings::skills,
          "Skills that goals may use, in the order in which they are tried. Absent: all skills."},
    Field{"sentences", &gateway::GoalSettings::sentences,
          "Number of sentences in a summary, unless the goal asks for another number.",
          Range{1, 20}},
    Field{"osquery", &gateway::GoalSettings::osquery, "Questions about this machine."},
};

}  // namespace patchbay
