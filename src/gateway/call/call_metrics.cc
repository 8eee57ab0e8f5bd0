#include "gateway/call/call_metrics.h"

#include <fmt/format.h>

namespace patchbay::gateway {
namespace {

constexpr std::array<std::string_view, kOutcomeClasses> kClassNames{"ok", "tool_error", "refused",
                                                                    "error"};
constexpr std::string_view kOther = "other";  // See Registry::bounded().
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

CallMetrics::CallMetrics(metrics::Registry& registry) : registry_(registry) {}

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
    tool.seconds =
        registry_.histogram("patchbay_tool_call_seconds", "How long calls of a tool took.",
                            tool.label, metrics::kCoarse);
  }
  tool.seconds->observe(call.seconds, call.sampled);
}

void CallMetrics::set_max_names(std::size_t most) {
  max_names_ = most;
  by_tool_.full = by_client_.full = false;
}

// Names beyond the limit are counted together, since clients choose some of them. Once the limit is
// reached, another name costs no lock.
CallMetrics::NamedSeries& CallMetrics::named_series(Named& named, std::string_view name) {
  if (const auto known = named.by_name.find(name); known != named.by_name.end()) {
    return known->second;
  }
  const auto add = [&named](const std::string& label) -> NamedSeries& {
    auto& series = named.by_name[label];
    series.label = metrics::labels({{named.label, label}});
    return series;
  };
  const std::string label =
      named.full ? std::string(kOther) : registry_.bounded(named.family, name, max_names_);
  if (label == kOther && !named.full) {
    for (const auto& one : registry_.known_values(named.family)) add(one);
    named.full = true;
  }
  return add(label);
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
