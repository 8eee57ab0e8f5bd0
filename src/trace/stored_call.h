// A StoredCall is a finished call in memory of its own: the numbers of its record, its stages and
// its texts in one block. The memory is used again when another call replaces it, so that a history
// of calls needs no allocation for most of them.
//
// A value. Written and read by one thread at a time.
#pragma once

#include <cstddef>
#include <string_view>
#include <vector>

#include "trace/call_record.h"

namespace patchbay::trace {

// A text of a record is cut to at most as many bytes as it has room for, between two characters.
// Caller ids have to fit, so that no two callers have the same: see gateway::recorded_id().
inline constexpr std::size_t kMaxCallerId = 128;

class StoredCall {
 public:
  StoredCall() = default;
  explicit StoredCall(const CallRecord& record) { store(record); }

  // Replaces what was stored.
  void store(const CallRecord& record);

  // REQUIRES: a record was stored. Its texts and stages are valid as long as they are stored here.
  CallRecord record() const;

  std::size_t bytes() const { return sizeof(*this) + block_.capacity(); }

 private:
  std::vector<std::byte> block_;
};

}  // namespace patchbay::trace
