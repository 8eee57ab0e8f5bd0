#include "frontends/admin/caller_quota.h"

#include <fmt/format.h>

namespace patchbay::frontends {

void CallerQuota::set_most(std::size_t total, std::size_t per_caller) {
  const std::lock_guard lock(mutex_);
  total_ = total;
  per_caller_ = per_caller;
}

Result<CallerQuota::Slot> CallerQuota::take(const std::string& caller, bool is_admin) {
  const std::lock_guard lock(mutex_);
  if (used_ >= total_) {
    return Error{Code::overloaded, fmt::format("too many {} are in use; try again later ({})",
                                               names_.noun, names_.total)};
  }
  const auto own = used_by_.find(caller);
  if (!is_admin && (own == used_by_.end() ? 0 : own->second) >= per_caller_) {
    return Error{Code::rate_limited,
                 fmt::format("this caller uses too many {}; end some, or try again later ({})",
                             names_.noun, names_.per_caller)};
  }
  ++used_;
  if (own == used_by_.end()) {
    used_by_.emplace(caller, 1);
  } else {
    ++own->second;
  }
  return Slot(*this, caller);
}

void CallerQuota::give_back(const std::string& caller) {
  const std::lock_guard lock(mutex_);
  --used_;
  const auto own = used_by_.find(caller);
  if (own != used_by_.end() && --own->second == 0) used_by_.erase(own);
}

}  // namespace patchbay::frontends
