#include "observe/metrics.h"

#include <algorithm>
#include <chrono>

#include "json/text.h"
#include "observe/metrics_text.h"

namespace patchbay::metrics {
namespace {

constexpr std::size_t kMaxLabelSize = 256;

// A value that both text formats can carry: UTF-8 without control characters, not longer than a
// label may be.
void add_label_value(std::string& out, std::string_view value) {
  value = value.substr(0, kMaxLabelSize);
  while (!value.empty()) {
    const std::size_t good = json::utf8_prefix(value);
    for (const char c : value.substr(0, good)) {
      if (c == '\n') {
        out += "\\n";
      } else if (static_cast<unsigned char>(c) < 0x20 || c == 0x7F) {
        out += '?';
      } else {
        if (c == '\\' || c == '"') out += '\\';
        out += c;
      }
    }
    value.remove_prefix(good);
    if (value.empty()) return;
    out += '?';
    value.remove_prefix(1);
  }
}

// Adds to the family of that name in `families`, which is sorted by name.
Family& family_in(std::map<std::string, Family>& families, const std::string& name,
                  const std::string& help, Type type) {
  auto& family = families[name];
  if (family.name.empty()) {
    family.name = name;
    family.help = help;
    family.type = type;
  }
  return family;
}

using WantedFamily = std::function<bool(std::string_view)>;

template <class Stored, class Read>
void add_stored(std::map<std::string, Family>& families, const Stored& stored,
                const WantedFamily& wanted, Type type, Read read) {
  for (const auto& [name, known] : stored) {
    if (!wanted(name)) continue;
    Family& family = family_in(families, name, known.help, type);
    for (const auto& [labels, one] : known.series) {
      Series& series = family.series.emplace_back(Series{.labels = labels});
      read(*one, series);
      const auto parts = known.merged.find(labels);
      if (parts == known.merged.end()) continue;
      for (const auto& part : parts->second) read(*part, series);
    }
  }
}

double unix_now() {
  const auto now = std::chrono::system_clock::now().time_since_epoch();
  return std::chrono::duration<double>(now).count();
}

}  // namespace

std::uint64_t Counter::value() const {
  std::uint64_t sum = 0;
  for (const auto& one : cells_) sum += one.value.load(std::memory_order_relaxed);
  return sum;
}

std::int64_t Gauge::value() const {
  std::int64_t sum = 0;
  for (const auto& one : cells_) sum += one.value.load(std::memory_order_relaxed);
  return sum;
}

std::string labels(std::initializer_list<std::pair<std::string_view, std::string_view>> pairs) {
  std::string out;
  for (const auto& [name, value] : pairs) {
    if (!out.empty()) out += ',';
    out += name;
    out += "=\"";
    add_label_value(out, value);
    out += '"';
  }
  return out;
}

// As labels() has made them.
std::vector<Label> label_pairs(std::string_view labels) {
  std::vector<Label> pairs;
  while (!labels.empty()) {
    const std::size_t equals = labels.find("=\"");
    if (equals == std::string_view::npos) break;
    Label& pair = pairs.emplace_back(std::string(labels.substr(0, equals)), "");
    std::size_t at = equals + 2;
    for (; at < labels.size() && labels[at] != '"'; ++at) {
      const bool escaped = labels[at] == '\\' && at + 1 < labels.size();
      if (escaped) ++at;
      pair.second += escaped && labels[at] == 'n' ? '\n' : labels[at];
    }
    labels.remove_prefix(std::min(labels.size(), at + 1));
    if (labels.starts_with(',')) labels.remove_prefix(1);
  }
  return pairs;
}

Registry::Registry() : began_unix_seconds_(unix_now()) {}

template <class Kind, class... Arguments>
std::shared_ptr<Kind> Registry::series(StoredFamilies<Kind>& families, const std::string& name,
                                       const std::string& help, const std::string& labels,
                                       const Arguments&... arguments) {
  const std::lock_guard lock(mutex_);
  auto& family = families[name];
  if (family.help.empty()) family.help = help;
  auto& found = family.series[labels];
  if (!found) found = std::make_shared<Kind>(arguments...);
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
                                               const std::string& labels, const Buckets& buckets) {
  return series(histograms_, name, help, labels, buckets);
}

void Registry::watch(Watched watched) {
  const std::lock_guard lock(mutex_);
  watched_.push_back(std::make_shared<const Watched>(std::move(watched)));
}

void Registry::watch_gauge(const std::string& name, const std::string& help,
                           std::function<double()> read, const std::string& labels) {
  watch_gauges(name, help,
               [read = std::move(read), labels] { return std::vector<Reading>{{labels, read()}}; });
}

void Registry::watch_counter(const std::string& name, const std::string& help,
                             std::function<double()> read, const std::string& labels) {
  watch_counters(name, help, [read = std::move(read), labels] {
    return std::vector<Reading>{{labels, read()}};
  });
}

void Registry::watch_gauges(const std::string& name, const std::string& help,
                            std::function<std::vector<Reading>()> read) {
  watch({name, help, Type::gauge, std::move(read)});
}

void Registry::watch_counters(const std::string& name, const std::string& help,
                              std::function<std::vector<Reading>()> read) {
  watch({name, help, Type::counter, std::move(read)});
}

TopNames& Registry::top_names(const std::string& family) {
  const std::lock_guard lock(mutex_);
  return top_names_[family];
}

template <class Kind>
void Registry::merge(StoredFamily<Kind>& family, const std::string& label,
                     const std::string& into) {
  auto at = family.series.lower_bound(label);
  while (at != family.series.end() && at->first.starts_with(label)) {
    const std::string rest = at->first.substr(label.size());
    if (!rest.empty() && rest[0] != ',') {
      ++at;
      continue;
    }
    auto& target = family.series[into + rest];
    if (!target) target = at->second->make_empty();
    family.merged[into + rest].push_back(std::move(at->second));
    at = family.series.erase(at);
  }
  // What nobody adds to any more has its final value.
  for (auto& [labels, parts] : family.merged) {
    std::erase_if(parts, [&target = *family.series[labels]](const std::shared_ptr<Kind>& part) {
      if (part.use_count() > 1) return false;
      std::atomic_thread_fence(std::memory_order_acquire);
      target.add(*part);
      return true;
    });
  }
  std::erase_if(family.merged, [](const auto& entry) { return entry.second.empty(); });
}

void Registry::merge(const std::string& family, const std::string& label, const std::string& into) {
  const std::lock_guard lock(mutex_);
  if (label == into) return;
  const auto counters = counters_.find(family);
  if (counters != counters_.end()) merge(counters->second, label, into);
  const auto histograms = histograms_.find(family);
  if (histograms != histograms_.end()) merge(histograms->second, label, into);
}

Snapshot Registry::snapshot() const {
  return snapshot_if([](std::string_view) { return true; });
}

Snapshot Registry::snapshot_of(std::initializer_list<std::string_view> names) const {
  return snapshot_if(
      [names](std::string_view name) { return std::ranges::find(names, name) != names.end(); });
}

Snapshot Registry::snapshot_if(const std::function<bool(std::string_view)>& wanted) const {
  std::map<std::string, Family> families;
  std::vector<std::shared_ptr<const Watched>> watched;
  {
    const std::lock_guard lock(mutex_);
    add_stored(families, counters_, wanted, Type::counter, [](const Counter& one, Series& into) {
      into.value += static_cast<double>(one.value());
    });
    add_stored(families, gauges_, wanted, Type::gauge, [](const Gauge& one, Series& into) {
      into.value = static_cast<double>(one.value());
    });
    add_stored(families, histograms_, wanted, Type::histogram,
               [](const Histogram& one, Series& into) { one.read(into); });
    watched = watched_;
  }
  // Without the lock, because a reader may hold its own lock while it adds a series.
  for (const auto& one : watched) {
    if (!wanted(one->name)) continue;
    Family& family = family_in(families, one->name, one->help, one->type);
    for (auto& reading : one->read()) {
      family.series.push_back({.labels = std::move(reading.labels), .value = reading.value});
    }
  }
  Snapshot snapshot{.families = {}, .began_unix_seconds = began_unix_seconds_};
  for (auto& [name, family] : families) {
    if (!family.series.empty()) snapshot.families.push_back(std::move(family));
  }
  return snapshot;
}

std::string Registry::render() const { return prometheus_text(snapshot()); }

}  // namespace patchbay::metrics
