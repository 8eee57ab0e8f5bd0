#include "mcp_client/finished_tasks.h"

#include <fmt/chrono.h>
#include <fmt/format.h>

#include <algorithm>
#include <ctime>

#include "async/executor.h"
#include "core/ids.h"

namespace patchbay::upstreams {

const FinishedTasks::Finished& FinishedTasks::keep(mcp::Reply reply,
                                                   std::optional<std::int64_t> ttl) {
  const auto longest = settings_.keep.count();
  const auto time = std::clamp<std::int64_t>(ttl.value_or(longest), 1, longest);
  const bool failed = reply.is_error || reply.has_failed;
  const std::string now = fmt::format("{:%Y-%m-%dT%H:%M:%S}Z", fmt::gmtime(std::time(nullptr)));
  Finished one{.id = "at-once-" + random_hex(16),
               .state = "",
               .reply = std::move(reply),
               .expires = here().now() + std::chrono::milliseconds(time)};
  one.state = fmt::format(
      R"({{"taskId":"{}","status":"{}","createdAt":"{}","lastUpdatedAt":"{}","ttl":{}}})", one.id,
      failed ? "failed" : "completed", now, now, time);
  bytes_ += one.reply.body.size();
  stored_.push_back(std::move(one));
  forget_old();
  return stored_.back();
}

const FinishedTasks::Finished* FinishedTasks::find(std::string_view id) {
  const auto found = std::ranges::find(stored_, id, &Finished::id);
  return found == stored_.end() || found->expires < here().now() ? nullptr : &*found;
}

// The newest is not removed, whatever its size.
void FinishedTasks::forget_old() {
  while (stored_.size() > 1 &&
         (bytes_ > settings_.stored.value || stored_.front().expires < here().now() ||
          stored_.size() > static_cast<std::size_t>(settings_.most))) {
    bytes_ -= stored_.front().reply.body.size();
    stored_.pop_front();
  }
}

}  // namespace patchbay::upstreams
