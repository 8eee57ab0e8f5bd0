// A StartWatch ends the start of a server that shows no progress: one that has written nothing to
// stderr for `start_timeout`, counted from the start at the earliest. A program that installs
// itself on its first run may take minutes, and would never finish if each attempt were ended.
//
// Confined to the worker of its instance; exists while the instance starts.
#pragma once

#include <algorithm>
#include <chrono>
#include <functional>
#include <string_view>
#include <utility>

#include "async/executor.h"
#include "async/stop.h"
#include "observe/log.h"

namespace patchbay::upstreams {

class StartWatch final : Timer {
 public:
  // `last_output` returns when the server last showed progress. REQUIRES: `stop` outlives this.
  StartWatch(std::string_view upstream, std::chrono::nanoseconds timeout,
             std::function<Deadline()> last_output, Stop& stop)
      : upstream_(upstream),
        timeout_(timeout),
        last_output_(std::move(last_output)),
        begun_(here().now()),
        stop_(stop) {
    here().timers().set(*this, begun_ + timeout_);
  }

  // It has ended the start.
  bool expired() const { return expired_; }

 private:
  void on_deadline() override {
    const Deadline due = std::max(begun_, last_output_()) + timeout_;
    if (due <= here().now()) {
      expired_ = true;
      return stop_.request();
    }
    here().timers().set(*this, due);
    if (std::exchange(logged_, true)) return;
    log::Line(log::Level::info, "upstream is still starting")
        .add("upstream", upstream_)
        .add("hint", "it writes to stderr, so it is not ended before max_start_timeout");
  }

  const std::string_view upstream_;
  const std::chrono::nanoseconds timeout_;
  const std::function<Deadline()> last_output_;
  const Deadline begun_;
  Stop& stop_;
  bool expired_ = false;
  bool logged_ = false;
};

}  // namespace patchbay::upstreams
