// StoredResults are results that were larger than their tool's budget. The caller gets a link
// instead, and reads the result in pages, as a resource that only this caller can read, for a
// limited time.
//
// Shared by all workers; usable from any thread.
#pragma once

#include <chrono>
#include <cstddef>
#include <deque>
#include <mutex>
#include <string>
#include <string_view>
#include <unordered_map>

#include "async/timers.h"
#include "core/principal.h"
#include "core/result.h"

namespace patchbay::gateway {

inline constexpr std::string_view kStoredPrefix = "patchbay://results/";

class StoredResults {
 public:
  struct Bounds {
    std::size_t total = 64 << 20;  // Of all results together.
    std::size_t page = 64 << 10;
    std::chrono::nanoseconds time = std::chrono::minutes(10);
  };
  struct Stored {
    std::string uri;  // Of all pages, without a page number.
    std::size_t pages = 0;
  };

  void set_bounds(const Bounds& bounds);
  std::size_t bytes() const;  // The total size of all stored results.
  Bounds bounds() const;

  // The oldest results make room. Code::too_large if that is not enough.
  Result<Stored> keep(const Principal& caller, std::string text, std::string type, Deadline now);

  // The raw result of reading one page. Code::resource_not_found for any other caller.
  Result<std::string> read(const Principal& caller, std::string_view uri, Deadline now);

 private:
  struct One {
    std::string owner;
    std::string text;
    std::string type;
    std::size_t page;
    Deadline until;
  };

  void drop_oldest();

  mutable std::mutex mutex_;
  Bounds bounds_;
  std::size_t held_ = 0;
  std::unordered_map<std::string, One> by_id_;
  std::deque<std::string> ids_;  // Oldest first.
};

}  // namespace patchbay::gateway
