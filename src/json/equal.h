// Equality of JSON values as JSON Schema means it: numbers by value (1.0 is 1), objects without
// regard to order. Every look costs a step of a Budget, so no pair of values can take for ever.
// Values only; usable from any thread.
#pragma once

#include <cstdint>

#include "json/index.h"

namespace patchbay::json {

// How much work is left. Once spent it stays so.
class Budget {
 public:
  explicit Budget(std::uint64_t steps) : left_(steps) {}

  // False if there is not enough left.
  bool spend(std::uint64_t steps) {
    if (steps > left_) {
      left_ = 0;
      spent_ = true;
      return false;
    }
    left_ -= steps;
    return true;
  }
  bool spent() const { return spent_; }
  std::uint64_t left() const { return left_; }

 private:
  std::uint64_t left_;
  bool spent_ = false;
};

// True if value `a` of `first` equals value `b` of `second`; false also once the budget is spent.
bool equal(const Index& first, NodeId a, const Index& second, NodeId b, Budget& budget);

// The same for equal values.
std::uint64_t hash_value(const Index& index, NodeId at, Budget& budget);

}  // namespace patchbay::json
