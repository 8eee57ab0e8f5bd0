// Counters, gauges and histograms. An update is an addition in a cell that is normally no
// other thread's. Labels that clients or upstreams choose are bounded: see TopNames.
//
// Updates from any thread; the Registry locks only to add a series and to read all of them.
#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <functional>
#include <initializer_list>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "observe/cell.h"
#include "observe/histogram.h"
#include "observe/metrics_snapshot.h"
#include "observe/top_names.h"

namespace patchbay::metrics {

class Counter {
 public:
  void add(std::uint64_t count = 1) {
    const std::size_t mine = cell();
    add_in_cell(cells_[mine].value, count, mine);
  }
  std::uint64_t value() const;

  // Adds what the other one has counted.
  void add(const Counter& other) { add(other.value()); }

  // One of the same kind that has counted nothing.
  std::shared_ptr<Counter> make_empty() const { return std::make_shared<Counter>(); }

 private:
  struct alignas(64) Cell {
    std::atomic<std::uint64_t> value{0};
  };
  std::array<Cell, kCells> cells_;
};

// A gauge is either set or added to, never both.
class Gauge {
 public:
  void set(std::int64_t value) { cells_[0].value.store(value, std::memory_order_relaxed); }
  void add(std::int64_t change) {
    const std::size_t mine = cell();
    add_in_cell(cells_[mine].value, change, mine);
  }
  std::int64_t value() const;

 private:
  struct alignas(64) Cell {
    std::atomic<std::int64_t> value{0};
  };
  std::array<Cell, kCells> cells_;
};

// Counts something in a gauge for as long as it lives.
class Counted {
 public:
  explicit Counted(Gauge& gauge, std::int64_t amount = 1) : gauge_(gauge), amount_(amount) {
    gauge_.add(amount_);
  }
  Counted(const Counted&) = delete;
  Counted& operator=(const Counted&) = delete;
  ~Counted() { gauge_.add(-amount_); }

 private:
  Gauge& gauge_;
  const std::int64_t amount_;
};

// `a="x",b="y"` with the values escaped, bounded, and valid in both text formats, whatever they
// are.
std::string labels(std::initializer_list<std::pair<std::string_view, std::string_view>> pairs);

// A value that other code maintains, of the series with these labels.
struct Reading {
  std::string labels;
  double value = 0;
};

class Registry {
 public:
  Registry();

  // The series of that name and labels, created if it is new. The first `help` and the first
  // buckets are used.
  std::shared_ptr<Counter> counter(const std::string& name, const std::string& help,
                                   const std::string& labels = {});
  std::shared_ptr<Gauge> gauge(const std::string& name, const std::string& help,
                               const std::string& labels = {});
  std::shared_ptr<Histogram> histogram(const std::string& name, const std::string& help,
                                       const std::string& labels = {},
                                       const Buckets& buckets = kLatency);

  // Values that other code maintains, read when all metrics are read. Values of one name from
  // several components make one family. REQUIRES: `read` is callable from any thread as long as the
  // registry exists.
  void watch_gauge(const std::string& name, const std::string& help, std::function<double()> read,
                   const std::string& labels = {});
  void watch_counter(const std::string& name, const std::string& help, std::function<double()> read,
                     const std::string& labels = {});
  void watch_gauges(const std::string& name, const std::string& help,
                    std::function<std::vector<Reading>()> read);
  void watch_counters(const std::string& name, const std::string& help,
                      std::function<std::vector<Reading>()> read);

  // Which values a label of that family may have, if others choose them. Lives as long as this.
  TopNames& top_names(const std::string& family);

  // Ends the series of that family whose first label is `label`, as from labels(). Its counts, and
  // those that owners of its counters still add, count in the series that has `into` instead.
  void merge(const std::string& family, const std::string& label, const std::string& into);

  Snapshot snapshot() const;
  // The same of some families alone, at a fraction of the cost.
  Snapshot snapshot_of(std::initializer_list<std::string_view> names) const;
  // The same as Prometheus text.
  std::string render() const;

 private:
  template <class Kind>
  struct StoredFamily {
    std::string help;
    std::map<std::string, std::shared_ptr<Kind>> series;
    // Ended ones that somebody may still add to, by the series that they count in.
    std::map<std::string, std::vector<std::shared_ptr<Kind>>> merged;
  };
  template <class Kind>
  using StoredFamilies = std::map<std::string, StoredFamily<Kind>>;
  template <class Kind, class... Arguments>
  std::shared_ptr<Kind> series(StoredFamilies<Kind>& families, const std::string& name,
                               const std::string& help, const std::string& labels,
                               const Arguments&... arguments);

  template <class Kind>
  static void merge(StoredFamily<Kind>& family, const std::string& label, const std::string& into);

  struct Watched {
    std::string name;
    std::string help;
    Type type;
    std::function<std::vector<Reading>()> read;
  };
  void watch(Watched watched);
  // Only the families for whose names `wanted` is true.
  Snapshot snapshot_if(const std::function<bool(std::string_view)>& wanted) const;

  const double began_unix_seconds_;
  mutable std::mutex mutex_;
  std::vector<std::shared_ptr<const Watched>> watched_;
  StoredFamilies<Counter> counters_;
  StoredFamilies<Gauge> gauges_;
  StoredFamilies<Histogram> histograms_;
  std::map<std::string, TopNames> top_names_;  // By family.
};

}  // namespace patchbay::metrics
