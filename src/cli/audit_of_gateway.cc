#include "cli/audit_of_gateway.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <vector>

#include "async/one_shot.h"
#include "cli/client_run.h"
#include "cli/control.h"
#include "cli/terminal.h"
#include "json/read.h"
#include "net/http/syntax/percent.h"

namespace patchbay::app {
namespace {

constexpr auto kBetweenRequests = std::chrono::milliseconds(500);
constexpr int kMostOfPage = 500;

std::string text_at(std::string_view raw, std::string_view key) {
  return json::string_member(raw, key).value_or("");
}

// The same line as for a record of a database.
void print_json_record(std::string_view record) {
  std::string what = text_at(record, "method");
  if (const auto event = text_at(record, "event"); !event.empty()) what = event + " " + what;
  std::string more;
  if (const auto client = text_at(record, "client"); !client.empty()) more += "  " + client;
  if (const auto by = text_at(record, "by"); !by.empty()) more += "  by " + by;
  const auto skipped = json::member(record, "skipped");
  if (skipped) more += fmt::format("  and {} more before", *skipped);
  const auto ms = json::member(record, "ms");
  const std::string name = text_at(record, "name");
  print("{}  {}  {} {}  {}  {:.1f} ms{}\n", text_at(record, "when"),
        name.empty() ? text_at(record, "from") : name, what, text_at(record, "target"),
        text_at(record, "outcome"), ms ? json::as_double(*ms).value_or(0) : 0, more);
}

struct AuditParameter {
  std::string_view name;
  std::string AuditOptions::* value;
};
constexpr std::array kAuditFilters{
    AuditParameter{"since", &AuditOptions::since},
    AuditParameter{"until", &AuditOptions::until},
    AuditParameter{"caller", &AuditOptions::caller},
    AuditParameter{"name", &AuditOptions::name},
    AuditParameter{"upstream", &AuditOptions::upstream},
    AuditParameter{"outcome", &AuditOptions::outcome},
    AuditParameter{"trace", &AuditOptions::trace},
    AuditParameter{"event", &AuditOptions::event},
};

// Reads records of a gateway, page by page.
class AuditReader {
 public:
  AuditReader(Control& control, const AuditOptions& options) : control_(control) {
    for (const auto& [name, value] : kAuditFilters) {
      if (!(options.*value).empty()) {
        filters_ += fmt::format("&{}={}", name, net::percent_encode(options.*value));
      }
    }
  }

  // At most `most` of those written after row `after`, the newest first.
  Task<std::vector<std::string>> read(int most, std::string after) {
    std::vector<std::string> records;
    std::string before;
    while (static_cast<int>(records.size()) < most) {
      const int left = std::min(most - static_cast<int>(records.size()), kMostOfPage);
      std::string path = fmt::format("/control/v1/audit?limit={}{}", left, filters_);
      if (!after.empty()) path += "&after=" + after;
      if (!before.empty()) path += "&before=" + before;
      auto answer = co_await control_.read_json(std::move(path));
      if (!answer) co_return answer.error();
      json::each_element(json::member(*answer, "records").value_or("[]"),
                         [&](std::string_view record) { records.emplace_back(record); });
      if (before.empty()) newest_ = text_at(*answer, "newest");
      before = text_at(*answer, "next");
      if (before.empty()) break;
    }
    co_return records;
  }

  // The row that was the newest at the last read().
  const std::string& newest() const { return newest_; }

 private:
  Control& control_;
  std::string filters_;
  std::string newest_;
};

void print_all(const std::vector<std::string>& records, bool as_json) {
  for (const auto& record : records) {
    if (as_json) {
      print_raw(record + "\n");
    } else {
      print_json_record(record);
    }
  }
  std::fflush(stdout);
}

Task<int> read_audit(Control& control, const AuditOptions& options) {
  AuditReader reader(control, options);
  constexpr int kMostRecords = 100'000;
  std::string after;
  for (int most = options.most;; most = kMostRecords) {
    auto records = co_await reader.read(most, after);
    if (!records) co_return records.error();
    if (options.follow) std::ranges::reverse(*records);
    print_all(*records, options.json);
    if (!options.follow) {
      if (records->empty() && !options.json) complain("no record matches\n");
      co_return kExitOk;
    }
    after = reader.newest();
    auto slept = co_await sleep_until(here().now() + kBetweenRequests);
    if (!slept) co_return slept.error();
  }
}

}  // namespace

int find_audit_of_gateway(const AuditOptions& options, const ClientOptions& connection) {
  auto args = connection.args;
  const std::string server = take_target(args);
  if (!args.empty()) return too_many_args(args);
  if (!options.database.empty() || !options.config.empty()) {
    complain("patchbay: either a running gateway or a database, not both\n");
    return kExitUsage;
  }
  const auto work = [&](Control& control) { return read_audit(control, options); };
  return run_control(server, connection, work, options.follow ? kExitOk : kExitFailed);
}

}  // namespace patchbay::app
