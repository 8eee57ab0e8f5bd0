// A CallerQuota bounds how many of something are in use, in total and by each caller. Lower bounds
// revoke nothing that is in use.
//
// Usable from any thread. Outlives its slots.
#pragma once

#include <cstddef>
#include <mutex>
#include <string>
#include <string_view>
#include <utility>

#include "core/result.h"
#include "core/text_hash.h"

namespace patchbay::frontends {

class CallerQuota {
 public:
  // For messages: what is counted, in the plural, and the settings that bound it.
  struct Names {
    std::string_view noun;
    std::string_view total;
    std::string_view per_caller;
  };

  // One unit in use; the destructor returns it.
  class Slot {
   public:
    Slot() = default;
    Slot(Slot&& other) noexcept
        : quota_(std::exchange(other.quota_, nullptr)), caller_(std::move(other.caller_)) {}
    Slot& operator=(Slot&& other) noexcept {
      std::swap(quota_, other.quota_);
      std::swap(caller_, other.caller_);
      return *this;
    }
    ~Slot() {
      if (quota_) quota_->give_back(caller_);
    }

   private:
    friend class CallerQuota;
    Slot(CallerQuota& quota, std::string caller) : quota_(&quota), caller_(std::move(caller)) {}

    CallerQuota* quota_ = nullptr;
    std::string caller_;
  };

  explicit constexpr CallerQuota(Names names) : names_(names) {}

  void set_most(std::size_t total, std::size_t per_caller);

  // Code::overloaded if the total is in use; Code::rate_limited if the caller uses its share,
  // unless it is an admin. The message names the setting.
  Result<Slot> take(const std::string& caller, bool is_admin);

 private:
  void give_back(const std::string& caller);

  const Names names_;
  std::mutex mutex_;
  std::size_t total_ = 0;
  std::size_t per_caller_ = 0;
  std::size_t used_ = 0;
  TextMap<std::size_t> used_by_;  // Entries exist only while something is in use.
};

}  // namespace patchbay::frontends
