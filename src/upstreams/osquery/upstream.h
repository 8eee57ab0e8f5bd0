// The OsqueryUpstream answers questions about the machine in SQL: with osqueryi if it is installed,
// else with the built-in tables. Its tools are those of the osquery MCP server.
//
// answer() on any worker; queries are run from the owner worker.
#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "gateway/call/upstream.h"
#include "osquery/denylist.h"
#include "osquery/query_pool.h"
#include "osquery/query_slots.h"
#include "osquery/settings.h"
#include "osquery/statement.h"
#include "osquery/table_policy.h"

namespace patchbay::osquery {

class OsqueryUpstream final : public gateway::Upstream {
 public:
  // Queries are run from `owner`. REQUIRES: owner and watcher outlive the upstream.
  OsqueryUpstream(std::string name, Settings settings, Executor& owner,
                  gateway::UpstreamWatcher& watcher);

  std::string_view name() const override { return name_; }
  std::string_view kind() const override { return "osquery"; }
  Task<void> start() override;
  Task<mcp::Reply> answer(const gateway::Call& call, std::string_view target) override;
  gateway::UpstreamState state() const override { return {true, ""}; }
  Task<void> stop(Deadline deadline) override;

 private:
  // A tool call: a query, and the format of its rows.
  struct Question {
    std::string sql;
    Format format = Format::json;
  };

  Result<Question> read_query(std::string_view arguments) const;
  Result<Question> read_processes(std::string_view arguments) const;
  Task<std::string> list_tables(Deadline deadline);
  Task<std::string> describe_table(std::string name, Deadline deadline);

  // Checks the query, runs it, and adds it to the denylist if it was aborted.
  Task<std::string> ask(Question question, Deadline deadline);
  Task<std::string> run(const Statement& statement, Format format, Deadline deadline);
  // With the available engine, on the owner worker.
  Task<std::string> run_on_owner(const Statement& statement, Format format, Deadline deadline);
  // Of osqueryi; Code::not_found if there is none and that is allowed.
  Task<std::string> ask_installed(const TablePolicy& policy, std::string_view sql, Format format,
                                  Deadline deadline);
  Result<Statement> check(std::string_view sql) const;

  const std::string name_;
  const Settings settings_;
  gateway::UpstreamWatcher& watcher_;
  const TablePolicy policy_;
  Denylist denylist_;
  // On the owner worker.
  Executor& owner_;
  QuerySlots slots_;
  QueryPool pool_;
};

}  // namespace patchbay::osquery
