#include "observe/metrics.h"

#include <fmt/format.h>

#include <algorithm>

namespace patchbay::metrics {
namespace {

void head(std::string& out, std::string_view name, std::string_view help, std::string_view type) {
  fmt::format_to(std::back_inserter(out), "# HELP {} {}\n# TYPE {} {}\n", name, help, name, type);
}

void sample(std::string& out, std::string_view name, std::string_view labels, auto value) {
  if (labels.empty()) {
    fmt::format_to(std::back_inserter(out), "{} {}\n", name, value);
  } else {
    fmt::format_to(std::back_inserter(out), "{}{{{}}} {}\n", name, labels, value);
  }
}

}  // namespace

std::size_t cell() {
  static std::atomic<std::size_t> next{0};
  thread_local const std::size_t mine = next.fetch_add(1, std::memory_order_relaxed) % kCells;
  return mine;
}

std::uint64_t Counter::value() const {
  std::uint64_t sum = 0;
  for (const auto& one : cells_) sum += one.value.load(std::memory_order_relaxed);
  return sum;
}

void Histogram::observe(double seconds) {
  auto& mine = cells_[cell()];
  const auto* const bound = std::ranges::lower_bound(kBounds, seconds);
  const auto index = static_cast<std::size_t>(bound - kBounds.begin());
  mine.buckets[index].fetch_add(1, std::memory_order_relaxed);
  mine.nanoseconds.fetch_add(static_cast<std::uint64_t>(seconds * 1e9), std::memory_order_relaxed);
}

void Histogram::render(std::string& out, std::string_view name, std::string_view labels) const {
  const std::string_view comma = labels.empty() ? "" : ",";
  std::uint64_t total = 0;
  std::uint64_t nanoseconds = 0;
  for (const auto& one : cells_) nanoseconds += one.nanoseconds.load(std::memory_order_relaxed);
  for (std::size_t i = 0; i <= kBounds.size(); ++i) {
    for (const auto& one : cells_) total += one.buckets[i].load(std::memory_order_relaxed);
    const std::string bound = i < kBounds.size() ? fmt::format("{}", kBounds[i]) : "+Inf";
    fmt::format_to(std::back_inserter(out), "{}_bucket{{{}{}le=\"{}\"}} {}\n", name, labels, comma,
                   bound, total);
  }
  sample(out, fmt::format("{}_sum", name), labels, static_cast<double>(nanoseconds) / 1e9);
  sample(out, fmt::format("{}_count", name), labels, total);
}

std::string labels(std::initializer_list<std::pair<std::string_view, std::string_view>> pairs) {
  std::string out;
  for (const auto& [name, value] : pairs) {
    if (!out.empty()) out += ',';
    out += name;
    out += "=\"";
    for (const char c : value) {
      if (c == '\\' || c == '"') out += '\\';
      if (c == '\n') {
        out += "\\n";
      } else {
        out += c;
      }
    }
    out += '"';
  }
  return out;
}

template <class Kind>
std::shared_ptr<Kind> Registry::series(std::map<std::string, Family<Kind>>& families,
                                       const std::string& name, const std::string& help,
                                       const std::string& labels) {
  const std::lock_guard lock(mutex_);
  auto& family = families[name];
  if (family.help.empty()) family.help = help;
  auto& found = family.series[labels];
  if (!found) found = std::make_shared<Kind>();
  return found;
}

std::shared_ptr<Counter> Registry::counter(const std::string& name, const std::string& help,
                                           const std::string& labels) {
  return series(counters_, name, help, labels);
}

std::shared_ptr<Gauge> Registry::gauge(const std::string& name, const std::string& help,
                                       const std::string& labels) {
  return series(gauges_, name, help, labels);
}

std::shared_ptr<Histogram> Registry::histogram(const std::string& name, const std::string& help,
                                               const std::string& labels) {
  return series(histograms_, name, help, labels);
}

void Registry::watch_gauge(const std::string& name, const std::string& help,
                           std::function<std::int64_t()> read) {
  const std::lock_guard lock(mutex_);
  watched_.push_back({name, help, "gauge", std::move(read)});
}

void Registry::watch_counter(const std::string& name, const std::string& help,
                             std::function<std::int64_t()> read) {
  const std::lock_guard lock(mutex_);
  watched_.push_back({name, help, "counter", std::move(read)});
}

std::string Registry::bounded(const std::string& name, std::string_view value, std::size_t most) {
  const std::lock_guard lock(mutex_);
  auto& known = values_[name];
  if (!known.contains(value)) {
    if (known.size() >= most) return "other";
    known.emplace(value);
  }
  return std::string(value);
}

std::string Registry::render() const {
  const std::lock_guard lock(mutex_);
  std::string out;
  for (const auto& one : watched_) {
    head(out, one.name, one.help, one.type);
    sample(out, one.name, "", one.read());
  }
  for (const auto& [name, family] : counters_) {
    head(out, name, family.help, "counter");
    for (const auto& [labels, one] : family.series) sample(out, name, labels, one->value());
  }
  for (const auto& [name, family] : gauges_) {
    head(out, name, family.help, "gauge");
    for (const auto& [labels, one] : family.series) sample(out, name, labels, one->value());
  }
  for (const auto& [name, family] : histograms_) {
    head(out, name, family.help, "histogram");
    for (const auto& [labels, one] : family.series) one->render(out, name, labels);
  }
  return out;
}

}  // namespace patchbay::metrics
