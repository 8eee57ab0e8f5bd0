// Equality of JSON values as defined by JSON Schema: numbers by value (1.0 is 1), objects
// regardless of order. Every comparison costs a step of a Budget, so the time is bounded. Values
// only; usable from any thread.
#pragma once

#include <cstdint>

#include "json/index.h"

namespace patchbay::json {

// The remaining work. Once exhausted it stays so.
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

// True if value `a` of `first` equals value `b` of `second`; false also once the budget is
// exhausted.
bool equal(const Index& first, NodeId a, const Index& second, NodeId b, Budget& budget);

// A hash: the same for equal values.
std::uint64_t hash_value(const Index& index, NodeId at, Budget& budget);

}  // namespace patchbay::json
