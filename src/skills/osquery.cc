#include "skills/osquery.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "core/http_token.h"
#include "core/text.h"
#include "gateway/call/arguments.h"
#include "json/read.h"
#include "observe/log.h"
#include "skills/goal_keywords.h"

namespace patchbay {
namespace {

using gateway::RawSql;

// A question is recognised by its keywords; the first match counts.
struct Question {
  std::string_view keywords;
  std::string_view sql;
};

constexpr std::array kQuestions{
    Question{"hostname", "SELECT hostname FROM system_info"},
    Question{"host name", "SELECT hostname FROM system_info"},
    Question{"listening", "SELECT * FROM listening_ports"},
    Question{"port", "SELECT * FROM listening_ports"},
    Question{"network", "SELECT * FROM process_open_sockets LIMIT 20"},
    Question{"connection", "SELECT * FROM process_open_sockets LIMIT 20"},
    Question{"process", "SELECT pid, name, state, resident_size FROM processes LIMIT 20"},
    Question{"user", "SELECT * FROM users"},
    Question{"uptime", "SELECT * FROM uptime"},
    Question{"os version", "SELECT * FROM os_version"},
    Question{"operating system", "SELECT * FROM os_version"},
    Question{"kernel", "SELECT * FROM kernel_info"},
    Question{"memory", "SELECT * FROM memory_info"},
    Question{"interface", "SELECT * FROM interface_addresses"},
    Question{"mount", "SELECT * FROM mounts"},
    Question{"package", "SELECT name, version FROM deb_packages LIMIT 100"},
    Question{"system", "SELECT * FROM system_info"},
    Question{"computer", "SELECT * FROM system_info"},
    Question{"machine", "SELECT * FROM system_info"},
};

constexpr std::array<std::string_view, 3> kReading{"select", "with", "explain"};

constexpr std::string_view kVariables = "$@:?#";  // The first characters of a variable.

bool is_name(char c) {
  return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' ||
         static_cast<unsigned char>(c) >= 0x80;
}

bool begins_with_keyword(std::string_view lower, std::string_view keyword) {
  return lower.starts_with(keyword) &&
         (lower.size() == keyword.size() || is_space(lower[keyword.size()]) ||
          lower[keyword.size()] == '(' || lower[keyword.size()] == '*');
}

bool is_reading(std::string_view sql) {
  const std::string lower = ascii_lower(trimmed(sql));
  return std::ranges::any_of(
      kReading, [&](std::string_view keyword) { return begins_with_keyword(lower, keyword); });
}

// The end of the quoted text or comment that begins at `at`; `at` if none does, npos if it is not
// closed.
std::size_t skip_quoted(std::string_view sql, std::size_t at) {
  const auto rest = sql.substr(at);
  const auto ends_behind = [&](std::string_view closer, std::size_t from) {
    const auto end = rest.find(closer, from);
    return end == std::string_view::npos ? end : at + end + closer.size();
  };
  if (rest.starts_with("--")) return std::min(ends_behind("\n", 2), sql.size());
  if (rest.starts_with("/*")) return ends_behind("*/", 2);
  if (rest.starts_with('[')) return ends_behind("]", 1);
  // A doubled quote is one inside the text; to find the end it counts as two texts in a row.
  if (std::string_view("'\"`").contains(rest.front())) return ends_behind(rest.substr(0, 1), 1);
  return at;
}

Error unknown_question(std::string_view question) {
  return {Code::invalid_params,
          fmt::format("'{}' is not a known question; ask for system info, processes, "
                      "users, listening ports, network connections or the hostname, or give a "
                      "SELECT",
                      clip(question))};
}

// The SQL of a question, as far as the setting allows SQL in goals.
Result<std::string> sql_of(std::string_view question, RawSql raw) {
  question = trimmed(question);
  if (question.empty()) return unknown_question(question);
  if (is_reading(question) && raw != RawSql::any) {
    if (raw == RawSql::off) {
      return Error{Code::invalid_params, "SQL in goals is switched off (goals.osquery.raw_sql)"};
    }
    auto good = check_reading_sql(question);
    if (!good) return good.error();
    return std::string(question);
  }
  if (!is_reading(question)) {
    const std::string lower = ascii_lower(question);
    for (const auto& [keywords, sql] : kQuestions) {
      if (lower.contains(keywords)) return std::string(sql);
    }
  }
  if (raw == RawSql::any) return std::string(question);
  return unknown_question(question);
}

constexpr auto kKeywords = std::to_array<std::string_view>({"osquery"});

bool can_handle(std::string_view goal) {
  return mentions(goal, {"osquery", "system info", "system query", "running process", "hostname",
                         "network connection", "list users", "listening port", "open port"}) ||
         (goal.contains("what is the") && mentions(goal, {"system", "computer"}));
}

Task<std::string> execute(GoalText goal, GoalTools& tools) {
  const auto question =
      mentions(ascii_lower(goal.whole), kKeywords) ? subject_of(goal, kKeywords) : goal.whole;
  auto sql = osquery_sql(question, tools.settings().osquery);
  if (!sql) co_return sql.error();
  log::Line(log::Level::info, log::plain_event(fmt::format("Executing osquery: {}", *sql)));
  auto rows = co_await tools.call(one_argument(sql_argument(tools.definition()), *sql));
  // The tools of a server that has never been up are unknown.
  const bool never_up =
      !rows && (rows.error().code == Code::not_found ||
                (rows.error().code == Code::unavailable && tools.definition().empty()));
  if (!never_up) co_return rows;
  const auto trouble = tools.trouble();
  co_return Error{Code::unavailable, fmt::format("Not connected to osquery MCP server{}{}",
                                                 trouble.empty() ? "" : ": ", trouble)};
}

}  // namespace

Result<void> check_reading_sql(std::string_view sql) {
  sql = trimmed(sql);
  if (!is_reading(sql)) {
    return Error{Code::invalid_params, "only SELECT, WITH and EXPLAIN are accepted"};
  }
  for (std::size_t at = 0; at < sql.size();) {
    const auto next = skip_quoted(sql, at);
    if (next == std::string_view::npos) {
      return Error{Code::invalid_params, "a quote or comment in the SQL does not end"};
    }
    if (next != at) {
      at = next;
      continue;
    }
    if (sql[at] == ';' && at + 1 != sql.size()) {
      return Error{Code::invalid_params, "only one SQL statement is accepted"};
    }
    if (kVariables.contains(sql[at]) || sql[at] == '\0') {
      return Error{Code::invalid_params, "variables in the SQL are not accepted"};
    }
    ++at;
  }
  return ok();
}

Result<void> check_tables(std::string_view sql, const std::vector<std::string>& denied) {
  const auto check = [&](std::string_view name) -> Result<void> {
    const auto found =
        std::ranges::find_if(denied, [&](const auto& one) { return same_token(one, name); });
    if (found == denied.end()) return ok();
    return Error{
        Code::forbidden,
        fmt::format("goals may not name the table {} (goals.osquery.denied_tables)", *found)};
  };
  for (std::size_t at = 0; at < sql.size();) {
    const auto quoted = std::min(skip_quoted(sql, at), sql.size());
    auto end = at;
    while (end < sql.size() && is_name(sql[end])) ++end;
    Result<void> good = ok();
    if (quoted > at + 2) good = check(sql.substr(at + 1, quoted - at - 2));
    if (end > at) good = check(sql.substr(at, end - at));
    if (!good) return good;
    at = std::max({quoted, end, at + 1});
  }
  return ok();
}

Result<std::string> osquery_sql(std::string_view question,
                                const gateway::OsqueryGoalSettings& settings) {
  auto sql = sql_of(question, settings.raw_sql);
  if (!sql || settings.raw_sql == RawSql::any) return sql;
  auto good = check_tables(*sql, settings.denied_tables);
  if (!good) return good.error();
  return sql;
}

std::string_view sql_argument(std::string_view definition) {
  const auto schema = json::member(definition, "inputSchema").value_or("{}");
  std::string_view required;
  json::each_element(json::member(schema, "required").value_or("[]"), [&](std::string_view name) {
    if (required.empty() && name == "\"sql\"") required = "sql";
    if (required.empty() && name == "\"query\"") required = "query";
  });
  if (!required.empty()) return required;
  const auto properties = json::member(schema, "properties").value_or("{}");
  const bool only_query =
      json::member(properties, "query").has_value() && !json::member(properties, "sql");
  return only_query ? "query" : "sql";
}

constinit const Skill kOsquerySkill{
    .name = "osquery",
    .title = "osquery",
    .description = "Answers questions about this machine with the tool of an osquery server.",
    .input_schema = "",
    .goal_name = "OsqueryMCPSkill",
    .keywords = kKeywords,
    .can_handle = can_handle,
    .execute = execute,
    .remote = true,
};

}  // namespace patchbay
