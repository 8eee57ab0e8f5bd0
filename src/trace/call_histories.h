// The CallHistories are the histories of all workers, which together store the configured number of
// calls. They are read as one list, in the order in which the calls ended.
//
// add() before any worker runs; the rest on any thread.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "core/result.h"
#include "trace/call_history.h"
#include "trace/call_record.h"

namespace patchbay::trace {

class CallHistories {
 public:
  CallHistories();

  // Adds one worker. Its address never changes.
  CallHistory& add() { return *histories_.emplace_back(std::make_unique<CallHistory>(0)); }

  // Each worker stores its part of `most` calls.
  void resize(std::size_t most) {
    for (const auto& one : histories_) {
      one->resize((most + histories_.size() - 1) / histories_.size());
    }
  }

  // In the order of the workers.
  const std::vector<std::unique_ptr<CallHistory>>& all() const { return histories_; }

  // A position in the list: one number for each worker, between the calls that were read and the
  // others.
  using Position = std::vector<std::uint64_t>;

  // The positions after the newest calls, and before the oldest stored ones.
  Position end() const;
  Position begin() const;

  using Wanted = std::function<bool(const CallRecord&)>;

  struct Found {
    std::vector<StoredCall> calls;
    Position next;             // Where to continue.
    bool more = false;         // There may be more calls from there on.
    std::uint64_t missed = 0;  // Calls that were lost before they were read.
  };

  // The selected calls before `before`, the newest first, at most `most`. It examines a bounded
  // number of calls, so there may be fewer than `most` and still `more`.
  Found before(const Position& before, std::size_t most, const Wanted& wanted) const;

  // The selected calls from `from` up to `until`, the oldest first. Calls beyond `most` are
  // skipped, the oldest first, and counted in `missed`.
  Found between(const Position& from, const Position& until, std::size_t most,
                const Wanted& wanted) const;
  Found since(const Position& from, std::size_t most, const Wanted& wanted) const {
    return between(from, end(), most, wanted);
  }

  // A position as text for clients. It is valid in this process only (Code::invalid_params).
  std::string to_text(const Position& position) const;
  Result<Position> parse(std::string_view text) const;

 private:
  struct Key;
  std::vector<StoredCall> fetch(const std::vector<Key>& keys) const;

  const std::string process_;  // Random: the prefix of the text of a position.
  std::vector<std::unique_ptr<CallHistory>> histories_;
};

// When the call ended, in nanoseconds since 1970.
inline std::int64_t end_of(const CallRecord& record) {
  return record.began_unix_ns + record.took_ns;
}

}  // namespace patchbay::trace
