#include "cli/calls_command.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <chrono>

#include "cli/client_run.h"
#include "cli/control.h"
#include "cli/table.h"
#include "cli/terminal.h"
#include "cli/waterfall.h"
#include "json/read.h"
#include "net/http/syntax/percent.h"

namespace patchbay::app {
namespace {

constexpr std::size_t kTimeSize = std::string_view("2026-11-15T04:00:00.123").size();
constexpr std::size_t kTraceSize = 16;  // Digits of the id that are enough to name it.
constexpr std::size_t kMostName = 200;  // Bytes.

std::string member_text(std::string_view raw, std::string_view key) {
  return json::string_member(raw, key).value_or("");
}

double took_of(std::string_view call) {
  const auto took = json::member(call, "took_ms");
  return took ? json::as_double(*took).value_or(0) : 0;
}

// One call on one line.
std::string call_line(std::string_view call) {
  const bool failed = json::member(call, "failed") == "true";
  const std::string outcome = on_line(member_text(call, "outcome"));
  std::string what = member_text(call, "method");
  if (const auto target = member_text(call, "target"); !target.empty()) what += " " + target;
  return fmt::format(
      "{}Z  {}  {}  {}  {:.3f} ms  {}\n", on_line(member_text(call, "began").substr(0, kTimeSize)),
      on_line(member_text(call, "caller")), on_line(json::shortened(what, kMostName)),
      painted(outcome, failed ? Colour::bad : Colour::good, stdout), took_of(call),
      on_line(member_text(call, "trace_id").substr(0, kTraceSize)));
}

void print_call(std::string_view call, bool as_json) {
  print_raw(as_json ? std::string(call) + "\n" : call_line(call));
}

struct CallsFilter {
  std::string_view name;
  std::string CallsOptions::* value;
};
constexpr std::array kFilters{
    CallsFilter{"tool", &CallsOptions::tool},
    CallsFilter{"upstream", &CallsOptions::upstream},
    CallsFilter{"caller", &CallsOptions::caller},
    CallsFilter{"client", &CallsOptions::client},
    CallsFilter{"outcome", &CallsOptions::outcome},
    CallsFilter{"trace", &CallsOptions::trace},
    CallsFilter{"slower_than", &CallsOptions::slower_than},
};

std::string query_of(const CallsOptions& calls) {
  std::string query;
  for (const auto& [name, value] : kFilters) {
    if (!(calls.*value).empty()) {
      query += fmt::format("&{}={}", name, net::percent_encode(calls.*value));
    }
  }
  return query;
}

Task<int> follow_calls(Control& control, const std::string& query, std::string from, bool as_json) {
  const auto on_event = [as_json](const transport::Event& event) {
    if (event.type == "call" && json::check(event.data)) print_call(event.data, as_json);
    if (event.type == "dropped" && json::check(event.data)) {
      complain("{} calls are not shown: there were too many\n",
               json::member(event.data, "calls").value_or("some"));
    }
    std::fflush(stdout);
  };
  const std::string filters = query.empty() ? "" : "?" + query.substr(1);
  auto read =
      co_await control.read_events("/control/v1/calls/live" + filters, std::move(from), on_event);
  if (!read) co_return read.error();
  complain("patchbay: the gateway has ended the stream\n");
  co_return kExitFailed;
}

// A time such as 2026-11-15T04:00:00.123456789Z, in milliseconds since 1970.
double milliseconds_of(std::string_view time) {
  const auto number = [&time](std::size_t at, std::size_t size) {
    int value = 0;
    if (at + size <= time.size()) std::from_chars(&time[at], &time[at] + size, value);
    return value;
  };
  const std::chrono::year_month_day date{std::chrono::year(number(0, 4)),
                                         std::chrono::month(static_cast<unsigned>(number(5, 2))),
                                         std::chrono::day(static_cast<unsigned>(number(8, 2)))};
  const auto days = static_cast<double>(std::chrono::sys_days(date).time_since_epoch().count());
  const double seconds = (days * 24 + number(11, 2)) * 3600 + number(14, 2) * 60 + number(17, 2);
  return seconds * 1e3 + number(20, 9) / 1e6;
}

void print_trace(std::string_view answer) {
  std::vector<std::string_view> calls;
  json::each_element(json::member(answer, "calls").value_or("[]"),
                     [&](std::string_view call) { calls.push_back(call); });
  // Those that began at the same time stay in their order.
  std::ranges::sort(calls, {}, [](std::string_view call) {
    return std::pair(member_text(call, "began"), call.data());
  });
  if (calls.empty()) return;
  print("trace {}  {}\n", member_text(answer, "trace_id"), member_text(calls.front(), "began"));
  const double first = milliseconds_of(member_text(calls.front(), "began"));
  const auto style = waterfall_style(stdout);
  for (const auto call : calls) {
    const double offset =
        calls.size() > 1 ? milliseconds_of(member_text(call, "began")) - first : -1;
    print_raw("\n" + waterfall(call, offset, style));
  }
}

}  // namespace

int show_calls(const ClientOptions& options, const CallsOptions& calls) {
  auto args = options.args;
  const std::string server = take_target(args);
  if (!args.empty()) return too_many_args(args);
  const auto work = [&](Control& control) -> Task<int> {
    const std::string query = query_of(calls);
    auto answer =
        co_await control.read_json(fmt::format("/control/v1/calls?limit={}{}", calls.most, query));
    if (!answer) co_return answer.error();
    std::vector<std::string_view> found;
    json::each_element(json::member(*answer, "calls").value_or("[]"),
                       [&](std::string_view call) { found.push_back(call); });
    if (calls.follow) std::ranges::reverse(found);
    for (const auto call : found) print_call(call, options.json);
    std::fflush(stdout);
    if (!calls.follow) {
      if (found.empty() && !options.json) complain("no call matches\n");
      co_return kExitOk;
    }
    auto followed = follow_calls(control, query, member_text(*answer, "newest"), options.json);
    co_return co_await followed;
  };
  return run_control(server, options, work, calls.follow ? kExitOk : kExitFailed);
}

int show_trace(const ClientOptions& options) {
  auto args = options.args;
  const std::string server = take_target(args);
  if (args.size() > 1) {
    complain("patchbay: one trace at a time: [TARGET] ID\n");
    return kExitUsage;
  }
  const std::string id = args.empty() ? "last" : args.front();
  return run_control(server, options, [&](Control& control) -> Task<int> {
    auto answer = co_await control.read_json("/control/v1/traces/" + net::percent_encode(id));
    if (!answer) co_return answer.error();
    if (options.json) {
      print_raw(*answer);
    } else {
      print_trace(*answer);
    }
    co_return kExitOk;
  });
}

}  // namespace patchbay::app
