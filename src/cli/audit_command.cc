// audit: prints records of calls from the audit database.
#include <fmt/format.h>

#include <chrono>

#include "app/configuration.h"
#include "app/run_gateway.h"
#include "cli/commands.h"
#include "cli/terminal.h"
#include "policy/audit/database.h"

namespace patchbay::app {
namespace {

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
    print_faults(faults);
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
  if (!record.by.empty()) more = fmt::format("  by {}", record.by);
  if (record.skipped > 0) more += fmt::format("  and {} more before", record.skipped);
  print("{}  {}  {} {}  {}  {:.1f} ms{}\n", policy::time_text(record.when_ms),
        record.name.empty() ? record.from : record.name, what, record.target, record.outcome,
        record.ms, more);
}

int fail(const Error& error) {
  complain("patchbay: {}\n", error.message);
  return error.code == Code::invalid_params ? kExitUsage : kExitConfiguration;
}

}  // namespace

int find_audit(const AuditOptions& options) {
  const auto question = filter_of(options);
  if (!question) return fail(question.error());
  const auto database = database_of(options);
  if (!database) return fail(database.error());
  const auto records = policy::find_audit(*database, *question);
  if (!records) return fail(records.error());
  std::string lines;
  for (const auto& record : *records) {
    if (options.json) {
      append_line(lines, record);
    } else {
      print_record(record);
    }
  }
  print_raw(lines);
  return kExitOk;
}

}  // namespace patchbay::app
