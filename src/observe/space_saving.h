// SpaceSaving finds the most frequent of many names in bounded memory: a name without a slot takes
// the one with the lowest count, and that count is from then on its possible error (Metwally,
// Agrawal, El Abbadi: Efficient Computation of Frequent and Top-k Elements in Data Streams, 2005).
// A name that makes up more than 1/kSlots of what is added has a slot for certain.
//
// Confined to one thread at a time. add() allocates only for a name that is longer than those that
// had the slot before.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>

namespace patchbay::metrics {

class SpaceSaving {
 public:
  static constexpr std::size_t kSlots = 64;

  void add(std::string_view name) {
    const std::size_t hash = std::hash<std::string_view>()(name);
    for (std::size_t i = 0; i < used_; ++i) {
      if (hashes_[i] != hash || slots_[i].name != name) continue;
      ++counts_[i];
      return;
    }
    const bool free = used_ < kSlots;
    const std::size_t at =
        free ? used_++
             : static_cast<std::size_t>(std::ranges::min_element(counts_) - counts_.begin());
    hashes_[at] = hash;
    slots_[at].name = name;
    slots_[at].error = free ? 0 : counts_[at];
    counts_[at] = slots_[at].error + 1;
  }

  // Calls `use` with each name that has a slot, and how often it has been added at least.
  template <class Use>
  void for_each(Use use) const {
    for (std::size_t i = 0; i < used_; ++i) use(slots_[i].name, counts_[i] - slots_[i].error);
  }

  void clear() { used_ = 0; }

 private:
  struct Slot {
    std::string name;
    std::uint64_t error = 0;
  };

  std::size_t used_ = 0;
  std::array<std::size_t, kSlots> hashes_{};
  std::array<std::uint64_t, kSlots> counts_{};
  std::array<Slot, kSlots> slots_;
};

}  // namespace patchbay::metrics
