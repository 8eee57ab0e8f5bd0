#include "frontends/admin/load.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <limits>

#include "observe/metrics_text.h"

namespace patchbay::frontends {
namespace {

constexpr auto kBetween = std::chrono::seconds(1);  // Two snapshots.

// One line of the metrics: name{labels} value.
struct LoadSample {
  std::string_view name;
  std::string_view labels;
  double value = 0;
};

// The end of the labels that begin at `brace`. Their values may have any character.
std::size_t end_of_labels(std::string_view line, std::size_t brace) {
  bool quoted = false;
  for (std::size_t at = brace; at < line.size(); ++at) {
    if (quoted && line[at] == '\\') {
      ++at;
    } else if (line[at] == '"') {
      quoted = !quoted;
    } else if (!quoted && line[at] == '}') {
      return at;
    }
  }
  return std::string_view::npos;
}

// Exemplars follow a `#` and are no part of the value.
LoadSample sample_of(std::string_view line) {
  LoadSample sample;
  if (line.starts_with('#')) return sample;
  const std::size_t brace = std::min(line.find('{'), line.find(' '));
  const bool opens = brace < line.size() && line[brace] == '{';
  const std::size_t closed = opens ? end_of_labels(line, brace) : std::string_view::npos;
  if (opens && closed == std::string_view::npos) return sample;
  const std::size_t space = opens ? closed + 1 : brace;
  if (space >= line.size()) return sample;
  sample.name = line.substr(0, opens ? brace : space);
  if (opens) sample.labels = line.substr(brace + 1, closed - brace - 1);
  const auto number = line.substr(space + 1);
  std::from_chars(number.data(), number.data() + number.size(), sample.value);
  return sample;
}

// The value of a label; empty if it is missing. The names of other labels may end with the same
// text.
std::string label_of(std::string_view labels, std::string_view name) {
  while (!labels.empty()) {
    const std::size_t equals = labels.find("=\"");
    if (equals == std::string_view::npos) return {};
    const bool wanted = labels.substr(0, equals) == name;
    labels.remove_prefix(equals + 2);
    std::string value;
    std::size_t at = 0;
    for (; at < labels.size() && labels[at] != '"'; ++at) {
      if (labels[at] == '\\' && at + 1 < labels.size()) {
        ++at;
        value += labels[at] == 'n' ? '\n' : labels[at];
      } else {
        value += labels[at];
      }
    }
    if (wanted) return value;
    labels.remove_prefix(std::min(at + 1, labels.size()));
    if (labels.starts_with(',')) labels.remove_prefix(1);
  }
  return {};
}

using Counted = std::map<std::string, LoadCounters, std::less<>>;

// The counters to which a metric is added, by a label.
struct LoadMetric {
  std::string_view name;
  Counted LoadSnapshot::* family;
  std::string_view label;
};
constexpr std::array kCallCounts{
    LoadMetric{"patchbay_calls_total", &LoadSnapshot::upstreams, "upstream"},
    LoadMetric{"patchbay_tool_calls_total", &LoadSnapshot::tools, "tool"},
    LoadMetric{"patchbay_client_calls_total", &LoadSnapshot::clients, "client"},
};
constexpr std::array kBuckets{
    LoadMetric{"patchbay_call_seconds_bucket", &LoadSnapshot::upstreams, "upstream"},
    LoadMetric{"patchbay_tool_call_seconds_bucket", &LoadSnapshot::tools, "tool"},
};

struct UpstreamNumber {
  std::string_view name;
  double LoadCounters::* value;
};
constexpr std::array kUpstreamNumbers{
    UpstreamNumber{"patchbay_upstream_calls_in_flight", &LoadCounters::in_flight},
    UpstreamNumber{"patchbay_upstream_restarts_total", &LoadCounters::restarts},
    UpstreamNumber{"patchbay_upstream_instances", &LoadCounters::instances},
};

struct ProcessNumber {
  std::string_view name;
  double LoadSnapshot::* value;
};
constexpr std::array kProcessNumbers{
    ProcessNumber{"patchbay_sessions", &LoadSnapshot::sessions},
    ProcessNumber{"patchbay_connections", &LoadSnapshot::connections},
    ProcessNumber{"patchbay_resident_memory_bytes", &LoadSnapshot::resident_bytes},
};

void add_calls(LoadCounters& counters, const LoadSample& sample) {
  counters.calls += sample.value;
  if (label_of(sample.labels, "outcome") != "ok") counters.errors += sample.value;
}

void add_bucket(LoadCounters& counters, const LoadSample& sample) {
  const std::string text = label_of(sample.labels, "le");
  double bound = std::numeric_limits<double>::infinity();
  std::from_chars(text.data(), text.data() + text.size(), bound);
  counters.at_most[bound] += sample.value;
}

void add(LoadSnapshot& load, const LoadSample& sample) {
  for (const auto& metric : kCallCounts) {
    if (metric.name != sample.name) continue;
    add_calls((load.*metric.family)[label_of(sample.labels, metric.label)], sample);
    if (metric.family == &LoadSnapshot::upstreams) add_calls(load.total, sample);
  }
  for (const auto& metric : kBuckets) {
    if (metric.name != sample.name) continue;
    add_bucket((load.*metric.family)[label_of(sample.labels, metric.label)], sample);
    if (metric.family == &LoadSnapshot::upstreams) add_bucket(load.total, sample);
  }
  for (const auto& metric : kUpstreamNumbers) {
    if (metric.name != sample.name) continue;
    load.upstreams[label_of(sample.labels, "upstream")].*metric.value += sample.value;
  }
  for (const auto& metric : kProcessNumbers) {
    if (metric.name == sample.name) load.*metric.value += sample.value;
  }
  if (sample.name == "patchbay_calls_in_flight") load.total.in_flight += sample.value;
}

}  // namespace

LoadSnapshot read_load(std::string_view metrics) {
  LoadSnapshot load;
  while (!metrics.empty()) {
    const std::size_t end = std::min(metrics.find('\n'), metrics.size());
    add(load, sample_of(metrics.substr(0, end)));
    metrics.remove_prefix(std::min(end + 1, metrics.size()));
  }
  return load;
}

LoadSnapshot history_load(const metrics::Registry& registry) {
  return read_load(metrics::prometheus_text(
      registry.snapshot_of({"patchbay_calls_total", "patchbay_call_seconds",
                            "patchbay_calls_in_flight", "patchbay_upstream_calls_in_flight"})));
}

double quantile_of(const std::map<double, double>& at_most, double quantile) {
  const double all = at_most.empty() ? 0 : at_most.rbegin()->second;
  if (all <= 0) return -1;
  const double rank = quantile * all;
  double below_bound = 0;
  double below_count = 0;
  for (const auto& [bound, count] : at_most) {
    if (count >= rank && count > below_count) {
      // Buckets reveal nothing about calls beyond the last bound.
      if (std::isinf(bound)) return below_bound;
      return below_bound + (bound - below_bound) * (rank - below_count) / (count - below_count);
    }
    below_bound = bound;
    below_count = count;
  }
  return below_bound;
}

LoadCounters difference(const LoadCounters& now, const LoadCounters& before) {
  // A tool or a client that was counted as `other` meanwhile begins at 0 again.
  if (now.calls < before.calls) return now;
  LoadCounters change = now;
  change.calls -= before.calls;
  change.errors -= before.errors;
  change.restarts -= before.restarts;
  for (auto& [bound, count] : change.at_most) {
    const auto earlier = before.at_most.find(bound);
    if (earlier != before.at_most.end()) count -= earlier->second;
  }
  return change;
}

Load::Window Load::window(Deadline now, std::chrono::nanoseconds length) {
  const std::lock_guard lock(mutex_);
  if (snapshots_.empty() || now - snapshots_.back()->when >= kBetween) {
    auto snapshot = std::make_shared<LoadSnapshot>(read_load(metrics_()));
    snapshot->when = now;
    snapshots_.push_back(std::move(snapshot));
  }
  while (now - snapshots_.front()->when > kMostWindow + kBetween) snapshots_.pop_front();
  const auto& newest = snapshots_.back();
  // The newest snapshot that is old enough, else the oldest.
  std::shared_ptr<const LoadSnapshot> before = snapshots_.front();
  for (const auto& one : snapshots_) {
    if (newest->when - one->when >= length) before = one;
  }
  if (before == newest) {
    before = std::make_shared<const LoadSnapshot>(LoadSnapshot{.when = began_});
  }
  const std::chrono::duration<double> seconds = newest->when - before->when;
  return {newest, before, std::max(seconds.count(), 0.001)};
}

}  // namespace patchbay::frontends
