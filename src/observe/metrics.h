// Counters, gauges and histograms, and their rendering as Prometheus text. An update is a relaxed
// addition in a cell that no other thread uses; the cells are summed on rendering.
//
// Updates from any thread; the Registry locks only to add a series and to render.
#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace patchbay::metrics {

inline constexpr std::size_t kCells = 8;

// The cell of this thread.
std::size_t cell();

class Counter {
 public:
  void add(std::uint64_t count = 1) {
    cells_[cell()].value.fetch_add(count, std::memory_order_relaxed);
  }
  std::uint64_t value() const;

 private:
  struct alignas(64) Cell {
    std::atomic<std::uint64_t> value{0};
  };
  std::array<Cell, kCells> cells_;
};

class Gauge {
 public:
  void set(std::int64_t value) { value_.store(value, std::memory_order_relaxed); }
  void add(std::int64_t change) { value_.fetch_add(change, std::memory_order_relaxed); }
  std::int64_t value() const { return value_.load(std::memory_order_relaxed); }

 private:
  std::atomic<std::int64_t> value_{0};
};

// Latencies in seconds, from 100 µs to 30 s.
class Histogram {
 public:
  static constexpr std::array kBounds{0.0001, 0.00025, 0.0005, 0.001, 0.0025, 0.005,
                                      0.01,   0.025,   0.05,   0.1,   0.25,   0.5,
                                      1.0,    2.5,     5.0,    10.0,  30.0};
  void observe(double seconds);
  // Appends the `_bucket`, `_sum` and `_count` lines.
  void render(std::string& out, std::string_view name, std::string_view labels) const;

 private:
  struct alignas(64) Cell {
    std::array<std::atomic<std::uint64_t>, kBounds.size() + 1> buckets{};
    std::atomic<std::uint64_t> nanoseconds{0};
  };
  std::array<Cell, kCells> cells_;
};

// `a="x",b="y"` with the values escaped.
std::string labels(std::initializer_list<std::pair<std::string_view, std::string_view>> pairs);

class Registry {
 public:
  // The series of that name and labels, created if it is new. The first `help` is used.
  std::shared_ptr<Counter> counter(const std::string& name, const std::string& help,
                                   const std::string& labels = {});
  std::shared_ptr<Gauge> gauge(const std::string& name, const std::string& help,
                               const std::string& labels = {});
  std::shared_ptr<Histogram> histogram(const std::string& name, const std::string& help,
                                       const std::string& labels = {});

  // A value that other code maintains, read on rendering. REQUIRES: `read` is callable from any
  // thread as long as the registry exists.
  void watch_gauge(const std::string& name, const std::string& help,
                   std::function<std::int64_t()> read);
  void watch_counter(const std::string& name, const std::string& help,
                     std::function<std::int64_t()> read);

  // `value` for a label of that family if it is one of the first `most` that were asked for, else
  // "other". Bounds the series that foreign names make.
  std::string bounded(const std::string& name, std::string_view value, std::size_t most);

  std::string render() const;

 private:
  template <class Kind>
  struct Family {
    std::string help;
    std::map<std::string, std::shared_ptr<Kind>> series;
  };
  template <class Kind>
  std::shared_ptr<Kind> series(std::map<std::string, Family<Kind>>& families,
                               const std::string& name, const std::string& help,
                               const std::string& labels);

  struct Watched {
    std::string name;
    std::string help;
    std::string_view type;
    std::function<std::int64_t()> read;
  };

  mutable std::mutex mutex_;
  std::vector<Watched> watched_;
  std::map<std::string, Family<Counter>> counters_;
  std::map<std::string, Family<Gauge>> gauges_;
  std::map<std::string, Family<Histogram>> histograms_;
  std::map<std::string, std::set<std::string, std::less<>>> values_;  // By family: see bounded().
};

}  // namespace patchbay::metrics
