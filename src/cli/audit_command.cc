// audit: prints records of calls from the audit database.
#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <thread>

#include "app/configuration.h"
#include "app/run_gateway.h"
#include "cli/audit_of_gateway.h"
#include "cli/commands.h"
#include "cli/terminal.h"
#include "policy/audit/database.h"

namespace patchbay::app {
namespace {

constexpr auto kBetweenQueries = std::chrono::milliseconds(300);
constexpr int kMostAtOnce = 100'000;

std::int64_t now_ms() {
  const auto now = std::chrono::system_clock::now().time_since_epoch();
  return std::chrono::duration_cast<std::chrono::milliseconds>(now).count();
}

// How long ago, as a point in time. Empty text: none.
Result<std::optional<std::int64_t>> point(const std::string& ago) {
  if (ago.empty()) return std::optional<std::int64_t>();
  auto duration = config::parse_duration(ago);
  if (!duration)
    return Error{Code::invalid_params, fmt::format("'{}' is not a time such as 1h", ago)};
  return std::optional(now_ms() - duration->count());
}

// The database of the configuration, unless one is named.
Result<std::string> database_of(const AuditOptions& options) {
  if (!options.database.empty()) return options.database;
  config::Faults faults;
  const Configuration configuration =
      load_configuration(choose_configuration(options.config), {}, faults);
  if (!faults.empty()) {
    report_faults(faults);
    return Error{Code::invalid_request, "the configuration has faults"};
  }
  if (configuration.settings.audit.database.empty()) {
    return Error{Code::not_found,
                 "the configuration names no audit.database; name one with --database FILE"};
  }
  return configuration.settings.audit.database;
}

Result<policy::AuditFilter> filter_of(const AuditOptions& options) {
  auto since = point(options.since);
  if (!since) return since.error();
  auto until = point(options.until);
  if (!until) return until.error();
  return policy::AuditFilter{*since,        *until,           options.caller,
                             options.name,  options.upstream, options.outcome,
                             options.trace, options.most,     options.event};
}

void print_record(const policy::AuditRecord& record) {
  std::string what = record.method;
  if (!record.event.empty()) what = fmt::format("{} {}", record.event, record.method);
  std::string more;
  if (!record.client.empty()) more = fmt::format("  {}", record.client);
  if (!record.by.empty()) more += fmt::format("  by {}", record.by);
  if (record.skipped > 0) more += fmt::format("  and {} more before", record.skipped);
  print("{}  {}  {} {}  {}  {:.1f} ms{}\n", policy::time_text(record.when_ms),
        record.name.empty() ? record.from : record.name, what, record.target, record.outcome,
        record.ms, more);
}

int audit_failure(const Error& error) {
  complain("patchbay: {}\n", error.message);
  return error.code == Code::invalid_params ? kExitUsage : kExitConfiguration;
}

void print_records(const std::vector<policy::AuditRecord>& records, bool as_json) {
  std::string lines;
  for (const auto& record : records) {
    if (as_json) {
      append_line(lines, record);
    } else {
      print_record(record);
    }
  }
  print_raw(lines);
  std::fflush(stdout);
}

// Prints the newest records, the oldest of them first, and then new ones until it is interrupted.
int follow(const std::string& database, policy::AuditFilter filter, bool as_json) {
  for (;; std::this_thread::sleep_for(kBetweenQueries)) {
    const auto newest = policy::newest_audit_row(database);
    if (!newest) return audit_failure(newest.error());
    if (*newest == filter.after_row) continue;
    filter.last_row = *newest;
    auto records = policy::find_audit(database, filter);
    if (!records) return audit_failure(records.error());
    std::ranges::reverse(*records);
    print_records(*records, as_json);
    filter.after_row = *newest;
    filter.most = kMostAtOnce;
  }
}

}  // namespace

int find_audit(const AuditOptions& options, const ClientOptions& connection) {
  if (!connection.args.empty()) return find_audit_of_gateway(options, connection);
  const auto question = filter_of(options);
  if (!question) return audit_failure(question.error());
  const auto database = database_of(options);
  if (!database) return audit_failure(database.error());
  if (options.follow) return follow(*database, *question, options.json);
  const auto records = policy::find_audit(*database, *question);
  if (!records) return audit_failure(records.error());
  print_records(*records, options.json);
  if (records->empty() && !options.json) {
    complain("no record matches; the database is {}\n", *database);
  }
  return kExitOk;
}

}  // namespace patchbay::app
