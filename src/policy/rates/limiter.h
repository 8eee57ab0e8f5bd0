// A Limiter bounds how many calls run at once, over all workers. A call beyond the bound is refused
// at once; it does not wait.
//
// Usable from any thread.
#pragma once

#include <atomic>
#include <cstdint>
#include <utility>

#include "core/result.h"

namespace patchbay::policy {

class Limiter {
 public:
  // Permission to run one call, returned by the destructor.
  class Permit {
   public:
    explicit Permit(Limiter* limiter) : limiter_(limiter) {}
    Permit(Permit&& other) noexcept : limiter_(std::exchange(other.limiter_, nullptr)) {}
    Permit& operator=(Permit&&) = delete;
    ~Permit() {
      if (limiter_) limiter_->running_.fetch_sub(1, std::memory_order_relaxed);
    }

   private:
    Limiter* limiter_;
  };

  explicit Limiter(std::int64_t most) : most_(most) {}

  Result<Permit> admit() {
    if (running_.fetch_add(1, std::memory_order_relaxed) < most_.load(std::memory_order_relaxed)) {
      return Permit(this);
    }
    running_.fetch_sub(1, std::memory_order_relaxed);
    return Error{Code::overloaded,
                 "too many calls are running; try again later (limits.max_calls)"};
  }

  void set_most(std::int64_t most) { most_.store(most, std::memory_order_relaxed); }
  std::int64_t running() const { return running_.load(std::memory_order_relaxed); }

 private:
  std::atomic<std::int64_t> most_;
  std::atomic<std::int64_t> running_{0};
};

}  // namespace patchbay::policy
