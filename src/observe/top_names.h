// TopNames decides which names of a label have series of their own: the busiest ones. Names get
// slots until all are taken. From then on, each ranking gives the slots of the least busy names
// to names that are much busier. Old counts weigh less and less, so that a name that is no longer
// used loses its slot.
//
// Bounded: names without a slot are remembered only while they are candidates. Usable from any
// thread; guarded by a mutex, which is taken for names that are new to a worker, and for reports.
#pragma once

#include <atomic>
#include <cstdint>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "async/timers.h"
#include "core/text_hash.h"

namespace patchbay::metrics {

class TopNames {
 public:
  // Identifies one stay of a name: it has another one when it comes back. 0: none.
  using Slot = std::uint64_t;

  // The time between two rankings, and between two reports of a worker.
  static constexpr std::chrono::seconds kInterval{10};
  // A name that counts half as much as another one does not take its slot, so that names that are
  // equally busy do not take turns. Neither does one that has hardly been counted.
  static constexpr double kTimesBusier = 2;
  static constexpr double kLeastCount = 8;
  // Of all slots, one in kShare changes its name in one ranking, but at least one.
  static constexpr std::size_t kShare = 8;
  // Names without a slot that are remembered from one ranking to the next.
  static constexpr std::size_t kMostCandidates = 512;

  void set_most(std::size_t most);

  // The slot of `name`, which gets one if some are free.
  Slot slot_of(std::string_view name);

  // The same, but a name without a slot gets none.
  Slot find(std::string_view name) const;

  // How often names were counted since the last report of the same worker.
  struct Report {
    std::string name;
    std::uint64_t count = 0;
  };
  void add(const std::vector<Report>& reports);

  // Ranks the names, unless that was done less than kInterval ago. Yields those that have lost
  // their slots.
  std::vector<std::string> rank(Deadline now);

  // Another number after slots have been given to other names or have become free. Never 0.
  std::uint64_t version() const { return version_.load(std::memory_order_relaxed); }

 private:
  struct Known {
    Slot slot = 0;
    double score = 0;         // What was counted; half as much ten minutes later.
    std::uint64_t added = 0;  // Since the last ranking.
  };
  using Entry = std::pair<const std::string, Known>;

  void age();
  std::vector<Entry*> sorted(bool with_slot);
  void take_slot(Entry& entry, std::vector<std::string>& lost);
  void forget_least(std::vector<Entry*>& candidates);

  mutable std::mutex mutex_;
  std::size_t most_ = 500;
  std::size_t taken_ = 0;
  Slot last_slot_ = 0;
  TextMap<Known> names_;
  std::optional<Deadline> due_;
  std::atomic<std::uint64_t> version_ = 1;
};

}  // namespace patchbay::metrics
