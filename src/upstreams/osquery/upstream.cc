#include "upstreams/osquery/upstream.h"

#include <fmt/format.h>

#include <algorithm>

#include "async/hop.h"
#include "gateway/call/arguments.h"
#include "json/read.h"
#include "mcp/tool_result.h"
#include "observe/log.h"
#include "osquery/osqueryi.h"
#include "osquery/table.h"
#include "upstreams/osquery/tools.h"

namespace patchbay::osquery {
namespace {

constexpr int kMostProcesses = 100'000;
constexpr int kUsualProcesses = 10;
constexpr std::size_t kMostName = 128;

Error not_allowed(std::string_view table) {
  return {Code::forbidden, fmt::format("the table '{}' is not allowed", table)};
}

// A failure in the documented form: no rows, followed by the reason.
mcp::Reply failed(const Error& why) {
  log::Line(log::Level::warn, "query failed")
      .add("reason", info(why.code).name)
      .add("why", why.message);
  return mcp::tool_result({"[]", why.message}, true);
}

Result<std::string> text_or_empty(std::string_view arguments, std::string_view name,
                                  std::size_t most) {
  auto given = optional_text_argument(arguments, name, most);
  if (!given) return given.error();
  return given->value_or("");
}

}  // namespace

OsqueryUpstream::OsqueryUpstream(std::string name, Settings settings, Executor& owner,
                                 gateway::UpstreamWatcher& watcher)
    : name_(std::move(name)),
      settings_(std::move(settings)),
      watcher_(watcher),
      policy_(settings_.allowed_tables, settings_.denied_tables),
      denylist_(settings_.denied_for),
      owner_(owner),
      slots_(settings_.queries, settings_.waiting),
      pool_(settings_) {}

Task<void> OsqueryUpstream::start() {
  watcher_.offers(*this, tool_items(settings_));
  co_return ok();
}

Task<mcp::Reply> OsqueryUpstream::answer(const gateway::Call& call, std::string_view target) {
  const auto* const given = call.request.param("arguments");
  const std::string_view arguments = given ? given->raw : "{}";
  const Deadline deadline = std::min<Deadline>(call.deadline, here().now() + settings_.timeout);
  const trace::StageGuard attempt(call.trace, trace::Stage::attempt);
  Result<std::string> text;
  if (target == kQueryTool || target == kProcessesTool) {
    auto question = target == kQueryTool ? read_query(arguments) : read_processes(arguments);
    if (!question) co_return question.error();
    text = co_await ask(*std::move(question), deadline);
  } else if (target == kListTool) {
    auto known = check_argument_names(arguments, {});
    if (!known) co_return known.error();
    text = co_await list_tables(deadline);
  } else if (target == kDescribeTool) {
    auto table = sole_text_argument(arguments, "table", kMostName);
    if (!table) co_return table.error();
    text = co_await describe_table(ascii_lower(*table), deadline);
  } else {
    co_return Error{Code::not_found, fmt::format("there is no tool '{}'", target)};
  }
  if (text) co_return mcp::tool_result({*text}, false);
  if (text.error().code == Code::cancelled) co_return text.error();
  co_return failed(text.error());
}

Result<OsqueryUpstream::Question> OsqueryUpstream::read_query(std::string_view arguments) const {
  const bool templates = settings_.extra_tools && !settings_.templates.empty();
  auto known = templates ? check_argument_names(arguments, {"sql", "query", "format", "template"})
                         : check_argument_names(arguments, {"sql", "query", "format"});
  if (!known) return known.error();
  const std::size_t most = settings_.statement.value;
  auto sql = text_or_empty(arguments, "sql", most);
  auto query = text_or_empty(arguments, "query", most);
  auto name = text_or_empty(arguments, "template", kMostName);
  auto format = text_or_empty(arguments, "format", kMostName);
  for (const auto* const one : {&sql, &query, &name, &format}) {
    if (!*one) return one->error();
  }
  if (!format->empty() && *format != "json" && *format != "text") {
    return Error{Code::invalid_params, "'format' must be json or text"};
  }
  Question question{sql->empty() ? *query : *sql, *format == "text" ? Format::text : Format::json};
  if (question.sql.empty() && !name->empty()) {
    const auto found =
        std::ranges::find(settings_.templates, *name, &std::pair<std::string, std::string>::first);
    if (found == settings_.templates.end()) {
      return Error{Code::invalid_params, fmt::format("there is no template '{}'", clip(*name))};
    }
    question.sql = found->second;
  }
  if (question.sql.empty()) {
    return Error{Code::invalid_params, "'sql' is missing; give it as a string"};
  }
  return question;
}

Result<OsqueryUpstream::Question> OsqueryUpstream::read_processes(
    std::string_view arguments) const {
  auto known = check_argument_names(arguments, {"limit"});
  if (!known) return known.error();
  auto limit = whole_argument(arguments, "limit", 1, kMostProcesses, kUsualProcesses);
  if (!limit) return limit.error();
  return Question{fmt::format("SELECT * FROM processes LIMIT {}", *limit)};
}

Task<std::string> OsqueryUpstream::list_tables(Deadline deadline) {
  const TablePolicy only_registry({"osquery_registry"}, {});
  auto installed = co_await ask_installed(
      only_registry,
      "SELECT name FROM osquery_registry WHERE registry = 'table' AND active = 1 ORDER BY name",
      Format::json, deadline);
  std::vector<std::string> all;
  if (installed) {
    json::each_element(*installed, [&](std::string_view row) {
      all.push_back(json::string_member(row, "name").value_or(""));
    });
  } else if (installed.error().code == Code::not_found) {
    for (const Table* const table : tables()) all.emplace_back(table->name);
  } else {
    co_return installed;
  }
  RowWriter rows(Format::json);
  for (const auto& name : all) {
    if (!policy_.allows(name)) continue;
    rows.begin_row();
    rows.value("name", name);
    rows.end_row();
  }
  co_return rows.finish();
}

Task<std::string> OsqueryUpstream::describe_table(std::string name, Deadline deadline) {
  const bool plain = std::ranges::all_of(
      name, [](char c) { return c == '_' || (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9'); });
  if (!plain || name.empty() || !policy_.allows(name)) co_return not_allowed(clip(name));
  const std::string columns = fmt::format("SELECT name, type FROM pragma_table_info('{}')", name);
  const TablePolicy only_this({name}, {});
  auto installed = co_await ask_installed(only_this, columns, Format::json, deadline);
  if (installed || installed.error().code != Code::not_found) co_return installed;
  const Table* const table = find_table(name);
  if (!table) co_return Error{Code::invalid_params, fmt::format("no such table: {}", name)};
  RowWriter rows(Format::json);
  for (const auto& column : table->columns) {
    rows.begin_row();
    rows.value("name", column.name);
    rows.value("type", type_name(column.type));
    rows.end_row();
  }
  co_return rows.finish();
}

Result<Statement> OsqueryUpstream::check(std::string_view sql) const {
  auto statement = examine(sql);
  if (!statement) return statement;
  for (const auto& table : statement->tables) {
    if (!policy_.allows(table)) return not_allowed(clip(table));
  }
  return statement;
}

Task<std::string> OsqueryUpstream::ask(Question question, Deadline deadline) {
  auto statement = check(question.sql);
  if (!statement) co_return statement.error();
  if (denylist_.has(statement->key, here().now())) {
    co_return Error{Code::forbidden,
                    fmt::format("the query is refused: it was aborted less than {} ago",
                                config::print(settings_.denied_for))};
  }
  auto rows = co_await run(*statement, question.format, deadline);
  const Code code = rows ? Code::cancelled : rows.error().code;
  // A query that has crashed its process is not run again either.
  const bool cut = code == Code::timeout || code == Code::too_large || code == Code::internal;
  if (cut) denylist_.add(statement->key, here().now());
  co_return rows;
}

Task<std::string> OsqueryUpstream::run(const Statement& statement, Format format,
                                       Deadline deadline) {
  auto there = [&]() { return run_on_owner(statement, format, deadline); };
  co_return co_await hop<std::string>(owner_, there);
}

Task<std::string> OsqueryUpstream::run_on_owner(const Statement& statement, Format format,
                                                Deadline deadline) {
  auto slot = co_await slots_.enter(deadline);
  if (!slot) co_return slot.error();
  auto installed = co_await ask_installed(policy_, statement.sql, format, deadline);
  if (installed || installed.error().code != Code::not_found) co_return installed;
  for (const auto& table : statement.tables) {
    if (!find_table(table)) {
      co_return Error{Code::invalid_params,
                      fmt::format("no such table: {} (osqueryi is not installed, and the built-in "
                                  "tables do not have it)",
                                  clip(table))};
    }
  }
  co_return co_await pool_.run(statement.sql, format, deadline);
}

Task<std::string> OsqueryUpstream::ask_installed(const TablePolicy& policy, std::string_view sql,
                                                 Format format, Deadline deadline) {
  if (settings_.engine == Engine::builtin) co_return Error{Code::not_found, "osqueryi is not used"};
  auto rows = co_await ask_osqueryi(settings_, policy, sql, format, deadline);
  const bool absent = !rows && rows.error().code == Code::unavailable;
  if (absent && settings_.engine == Engine::either) rows.error().code = Code::not_found;
  co_return rows;
}

Task<void> OsqueryUpstream::stop(Deadline deadline) {
  auto there = [&]() { return pool_.stop(deadline); };
  co_return co_await hop<void>(owner_, there);
}

}  // namespace patchbay::osquery
