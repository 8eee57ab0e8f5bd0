#include "gateway/call/call_metrics.h"

#include <fmt/format.h>

#include <utility>

namespace patchbay::gateway {
namespace {

constexpr std::array<std::string_view, kOutcomeClasses> kClassNames{"ok", "tool_error", "refused",
                                                                    "error"};
constexpr std::string_view kOther = "other";  // The label of all names without a slot.
constexpr std::string_view kToolCalls = "patchbay_tool_calls_total";
constexpr std::string_view kToolSeconds = "patchbay_tool_call_seconds";
constexpr std::string_view kClientCalls = "patchbay_client_calls_total";
constexpr std::array<std::string_view, 2> kDirectionNames{"arguments", "result"};

}  // namespace

std::string_view name_of(Outcome outcome) {
  if (outcome == Outcome::ok) return "ok";
  if (outcome == Outcome::upstream_error) return "upstream_error";
  if (outcome == Outcome::tool_error) return "tool_error";
  return info(static_cast<Code>(outcome)).name;
}

OutcomeClass class_of(Outcome outcome) {
  if (outcome == Outcome::ok) return OutcomeClass::ok;
  if (outcome == Outcome::tool_error) return OutcomeClass::tool_error;
  if (outcome == Outcome::upstream_error) return OutcomeClass::error;
  switch (static_cast<Code>(outcome)) {
    case Code::timeout:
    case Code::cancelled:
    case Code::unavailable:
    case Code::upstream_failed:
    case Code::internal:
      return OutcomeClass::error;
    default:
      return OutcomeClass::refused;
  }
}

CallMetrics::CallMetrics(metrics::Registry& registry)
    : registry_(registry),
      by_tool_{std::string(kToolCalls), "Calls by tool and outcome.", "tool", kToolSeconds,
               registry.top_names(std::string(kToolCalls))},
      by_client_{std::string(kClientCalls),
                 "Calls by client and outcome.",
                 "client",
                 {},
                 registry.top_names(std::string(kClientCalls))} {
  for (Named* const named : {&by_tool_, &by_client_}) {
    named->other.label = metrics::labels({{named->label, kOther}});
  }
}

CallMetrics::UpstreamSeries& CallMetrics::upstream_series(std::string_view upstream) {
  if (const auto found = by_upstream_.find(upstream); found != by_upstream_.end()) {
    return found->second;
  }
  auto& made = by_upstream_[std::string(upstream)];
  const auto labels = metrics::labels({{"upstream", upstream}});
  made.request_size = registry_.histogram("patchbay_request_size_bytes", "Sizes of requests.",
                                          labels, metrics::kSize);
  made.response_size = registry_.histogram("patchbay_response_size_bytes", "Sizes of results.",
                                           labels, metrics::kSize);
  return made;
}

metrics::Histogram& CallMetrics::duration(UpstreamSeries& known, const FinishedCall& call) {
  ByFrontend* found = nullptr;
  for (auto& one : known.frontends) {
    if (one.frontend == call.frontend) found = &one;
  }
  if (!found) found = &known.frontends.emplace_back(ByFrontend{call.frontend, {}});
  const auto number = static_cast<std::size_t>(class_of(call.outcome));
  auto& seconds = found->seconds[number];
  if (!seconds) {
    const auto labels = metrics::labels({{"upstream", call.upstream},
                                         {"frontend", call.frontend},
                                         {"outcome", kClassNames[number]}});
    seconds = registry_.histogram("patchbay_call_seconds", "How long calls took.", labels);
  }
  return *seconds;
}

void CallMetrics::count(const FinishedCall& call) {
  auto& known = upstream_series(call.upstream);
  auto& counter = known.calls[static_cast<std::size_t>(call.outcome)];
  if (!counter) {
    const auto labels =
        metrics::labels({{"upstream", call.upstream}, {"outcome", name_of(call.outcome)}});
    counter = registry_.counter("patchbay_calls_total", "Calls by upstream and outcome.", labels);
  }
  counter->add();
  duration(known, call).observe(call.seconds, call.sampled);
  known.request_size->observe(static_cast<double>(call.bytes_in));
  known.response_size->observe(static_cast<double>(call.bytes_out));
  count(by_client_, call.client, call.outcome);
  if (call.tool.empty()) return;
  auto& tool = count(by_tool_, call.tool, call.outcome);
  if (!tool.seconds) {
    tool.seconds = registry_.histogram(std::string(kToolSeconds), "How long calls of a tool took.",
                                       tool.label, metrics::kCoarse);
  }
  tool.seconds->observe(call.seconds, call.sampled);
}

void CallMetrics::set_max_names(std::size_t most) {
  for (Named* const named : {&by_tool_, &by_client_}) named->top.set_most(most);
}

// Once no slot is free, a name without one costs no lock.
CallMetrics::NamedSeries& CallMetrics::named_series(Named& named, std::string_view name) {
  if (const auto known = named.by_name.find(name); known != named.by_name.end()) {
    ++known->second.recent;
    return known->second;
  }
  if (name == kOther) return named.other;
  const auto version = named.top.version();
  const auto slot = named.full_at == version ? 0 : named.top.slot_of(name);
  if (slot == 0) {
    named.full_at = version;
    named.others.add(name);
    return named.other;
  }
  auto& series = named.by_name[std::string(name)];
  series.label = metrics::labels({{named.label, name}});
  series.slot = slot;
  series.recent = 1;
  return series;
}

void CallMetrics::merge_into_other(const Named& named, std::string_view name) {
  const std::string label = metrics::labels({{named.label, name}});
  registry_.merge(named.family, label, named.other.label);
  if (named.durations.empty()) return;
  registry_.merge(std::string(named.durations), label, named.other.label);
}

void CallMetrics::report(Named& named) {
  std::vector<metrics::TopNames::Report> reports;
  for (auto& [name, series] : named.by_name) {
    if (series.recent > 0) reports.push_back({name, std::exchange(series.recent, 0)});
  }
  named.others.for_each([&](const std::string& name, std::uint64_t count) {
    if (count > 0) reports.push_back({name, count});
  });
  named.others.clear();
  if (!reports.empty()) named.top.add(reports);
}

// A name that this worker counted until now may have made series again after it had lost its slot.
void CallMetrics::forget_lost(Named& named) {
  const auto version = named.top.version();
  if (version == named.version) return;
  named.version = version;
  std::vector<std::string> lost;
  std::erase_if(named.by_name, [&](const auto& entry) {
    const auto slot = named.top.find(entry.first);
    if (slot == 0) lost.push_back(entry.first);
    return slot != entry.second.slot;
  });
  for (const auto& name : lost) merge_into_other(named, name);
}

// The ranking comes before the report, so that it uses the reports of all workers.
void CallMetrics::rank_names(Deadline now) {
  const bool reports = now >= next_report_;
  if (reports) next_report_ = now + metrics::TopNames::kInterval;
  for (Named* const named : {&by_tool_, &by_client_}) {
    if (reports) {
      for (const auto& name : named->top.rank(now)) merge_into_other(*named, name);
      report(*named);
    }
    forget_lost(*named);
  }
}

CallMetrics::NamedSeries& CallMetrics::count(Named& named, std::string_view name, Outcome outcome) {
  auto& known = named_series(named, name);
  auto& counter = known.calls[static_cast<std::size_t>(outcome)];
  if (!counter) {
    const auto labels =
        fmt::format("{},{}", known.label, metrics::labels({{"outcome", name_of(outcome)}}));
    counter = registry_.counter(named.family, named.help, labels);
  }
  counter->add();
  return known;
}

void CallMetrics::count_violation(SchemaDirection direction, std::string_view upstream) {
  const auto number = static_cast<std::size_t>(direction);
  auto& counter = upstream_series(upstream).violations[number];
  if (!counter) {
    counter = registry_.counter(
        "patchbay_schema_violations_total", "Arguments and results that do not fit their schema.",
        metrics::labels({{"upstream", upstream}, {"direction", kDirectionNames[number]}}));
  }
  counter->add();
}

}  // namespace patchbay::gateway
