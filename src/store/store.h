// A Store holds state that outlives the process, or that several gateways share: named tables of
// keys and values. Each entry has a version, which grows with every change of its table, and may
// have an expiry.
//
// A change is one entry; there are no transactions over several. A reader sees the changes of its
// own process that were made before its request. Values are stored sealed; keys and counters are
// stored as they are, so that the key of a secret must be a digest of it.
//
// Usable from any thread with an executor, which waits there and outlives close(). When a deadline
// passes, or the waiting task is stopped, a change may be made all the same.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "async/executor.h"
#include "async/task.h"

namespace patchbay::store {

// A constant, defined by the code that uses the table.
struct Table {
  std::string_view name;
};

using Version = std::uint64_t;
inline constexpr Version kAbsent = 0;  // Of no entry.

using Time = std::chrono::system_clock::time_point;

struct Entry {
  std::string key;
  std::string value;
  Version version = kAbsent;
};

// What is put. Expired entries are as good as erased.
struct Item {
  std::string key;
  std::string value;
  Time expires = Time::max();
};

struct Change {
  std::string key;
  std::optional<std::string> value;  // None: erased.
  Version version = kAbsent;
};

// What an engine is doing, for metrics and for operators.
struct Status {
  std::size_t queued = 0;  // Requests that wait for the store.
  std::uint64_t failures = 0;
  std::optional<std::uint64_t> bytes = {};  // Of all entries; none: the engine does not know.
  bool connected = true;
  std::string problem = {};  // Why it cannot be used, beginning with the setting; empty: it can.
};

struct Bounds {
  std::size_t queue = 65'536;          // Requests that wait.
  std::uint64_t size = 256ULL << 20U;  // Bytes of all entries, of an engine that counts them.
};

// Changes are reported as long as it exists. Destroyed on the thread of its owner.
class Watch {
 public:
  virtual ~Watch() = default;
};

class Store {
 public:
  virtual ~Store() = default;

  // Whether entries outlive the process.
  virtual bool outlives_process() const = 0;

  // Whether other processes use the same entries all the time, not only while one replaces another.
  virtual bool shared() const = 0;

  // None: there is no such entry. Code::internal if it is there and cannot be opened.
  virtual Task<std::optional<Entry>> get(const Table& table, std::string key,
                                         Deadline deadline) = 0;

  // The new version. Code::overloaded if too much is queued or stored; the message names the
  // setting.
  virtual Task<Version> put(const Table& table, Item item, Deadline deadline) = 0;

  // The same if the entry still has this version (kAbsent: if there is none). None: it has another.
  virtual Task<std::optional<Version>> put_if(const Table& table, Item item, Version expected,
                                              Deadline deadline) = 0;

  // No error if there is none.
  virtual Task<void> erase(const Table& table, std::string key, Deadline deadline) = 0;

  // At most `most` entries with keys after `after`, in the order of their keys. Entries that cannot
  // be opened are left out.
  virtual Task<std::vector<Entry>> scan(const Table& table, std::string after, std::size_t most,
                                        Deadline deadline) = 0;

  // Adds to the counter of that key, and yields the new total. A counter begins at 0 and expires at
  // the time that is given when it begins. Counters are no entries: get() and scan() do not see
  // them, and their changes are not reported.
  virtual Task<std::int64_t> add(const Table& table, std::string key, std::int64_t delta,
                                 Time expires, Deadline deadline) = 0;

  // Moves a point in time ahead, by the clock of the store: from where it is, or from now if that
  // is later. Yields how far it is ahead of now. One that has passed is forgotten. A key of a table
  // has a counter or a point, not both. REQUIRES: `by` is not negative.
  virtual Task<std::chrono::microseconds> advance(const Table& table, std::string key,
                                                  std::chrono::microseconds by,
                                                  Deadline deadline) = 0;

  // Calls `notify` on the thread of `owner` for each change of the table from now on, whichever
  // process makes it; several changes of one entry may be reported as the last of them. An expiry
  // is not reported.
  virtual std::unique_ptr<Watch> watch(const Table& table, Executor& owner,
                                       std::function<void(const Change&)> notify) = 0;

  virtual void set_bounds(const Bounds& bounds) = 0;
  virtual Status status() const = 0;

  // Finishes what is queued, as far as that is possible within a bounded time. Blocks; nothing can
  // be requested afterwards.
  virtual void close() = 0;
};

}  // namespace patchbay::store
