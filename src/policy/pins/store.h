// The PinStore stores pins in an SQLite file, which `patchbay pins` reads and changes too. A thread
// of its own writes: no worker waits for a disk.
//
// read() and accept() block and are for the control thread and commands; add() and change() can be
// called on any thread.
#pragma once

#include <condition_variable>
#include <deque>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <utility>

#include "core/sqlite.h"
#include "policy/pins/pin.h"

namespace patchbay::policy {

class PinStore {
 public:
  using Key = std::pair<std::string, std::string>;

  // The file of pins in the folder `state`, which is created if necessary.
  static Result<std::unique_ptr<PinStore>> open(const std::string& state);
  static std::string file_in(const std::string& state) { return state + "/pins.sqlite"; }

  // Writes all queued changes.
  ~PinStore();

  Result<PinMap> read();

  // Accepts the changed definition of a tool. False if there is none.
  Result<bool> accept(const Key& key);

  // Stores `pin`, whose definition has been accepted.
  Result<void> accept(const Key& key, const Pin& pin);

  void add(const Key& key, const Pin& pin) { put({key, pin, true}); }
  void change(const Key& key, const Pin& pin) { put({key, pin, false}); }

 private:
  struct Write {
    Key key;
    Pin pin;
    bool fresh;
  };
  static constexpr std::size_t kMostWaiting = 100'000;

  PinStore(sqlite::Database reader, sqlite::Database writer);
  void put(Write write);
  void work();
  Result<void> write(const Write& write);

  sqlite::Database reader_;  // Used by the callers of read() and accept().
  sqlite::Database writer_;  // Used by the thread.
  std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<Write> waiting_;
  bool stopping_ = false;
  std::thread thread_;
};

}  // namespace patchbay::policy
