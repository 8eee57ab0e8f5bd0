// The StderrTails are the last lines that the programs of each upstream have written to stderr, for
// people who look for the reason of a failure. They outlive the programs. Bounded in lines, in the
// size of each, and in the number of upstreams.
//
// Usable from any thread; guarded by a mutex, which is taken for each line that is logged too.
#pragma once

#include <chrono>
#include <deque>
#include <map>
#include <mutex>
#include <string>
#include <string_view>
#include <vector>

namespace patchbay::upstreams {

struct StderrLine {
  std::chrono::system_clock::time_point when;
  std::string text;  // Without escape sequences and control characters.
};

class StderrTails {
 public:
  static constexpr std::size_t kMostUpstreams = 1'000;

  // How many lines of one upstream are stored. Older ones are dropped.
  void set_max_lines(std::size_t most) {
    const std::lock_guard lock(mutex_);
    max_lines_ = most;
    for (auto& [name, lines] : tails_) trim(lines);
  }

  void add(std::string_view upstream, std::string text) {
    const std::lock_guard lock(mutex_);
    auto at = tails_.find(upstream);
    if (at == tails_.end() && tails_.size() >= kMostUpstreams) return;
    if (at == tails_.end()) at = tails_.emplace(upstream, std::deque<StderrLine>()).first;
    at->second.push_back({std::chrono::system_clock::now(), std::move(text)});
    trim(at->second);
  }

  // The oldest first.
  std::vector<StderrLine> of(std::string_view upstream) const {
    const std::lock_guard lock(mutex_);
    const auto at = tails_.find(upstream);
    if (at == tails_.end()) return {};
    return {at->second.begin(), at->second.end()};
  }

 private:
  void trim(std::deque<StderrLine>& lines) const {
    while (lines.size() > max_lines_) lines.pop_front();
  }

  mutable std::mutex mutex_;
  std::size_t max_lines_ = 50;
  std::map<std::string, std::deque<StderrLine>, std::less<>> tails_;
};

// Those of this process.
inline StderrTails& stderr_tails() {
  static StderrTails the_tails;
  return the_tails;
}

}  // namespace patchbay::upstreams
