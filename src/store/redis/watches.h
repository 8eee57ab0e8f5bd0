// The RedisWatches report the changes of tables, whichever process makes them. A message of the
// server only says that a table has changed; what has changed since the last known version is then
// read. So nothing is missed when a connection is made anew, and nothing depends on a message,
// because the server is asked now and then without one.
//
// Confined to the loop of its store; watchers are notified on their own threads.
#pragma once

#include <cstddef>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "async/executor.h"
#include "crypto/keyring.h"
#include "store/redis/link.h"
#include "store/store.h"

namespace patchbay::store {

class RedisWatches {
 public:
  // `notify` is used on the thread of `owner`.
  struct Watcher {
    std::string table;
    Executor& owner;
    std::function<void(const Change&)> notify;
  };

  // Base: what the keys of a table begin with. `failed` gets what could not be read.
  // REQUIRES: both outlive this.
  RedisWatches(const policy::Keyring& keys, std::string prefix,
               std::function<void(const Error&)> failed)
      : keys_(keys), prefix_(std::move(prefix)), failed_(std::move(failed)) {}

  void add(std::weak_ptr<Watcher> watcher);

  // There is a connection, or none (null).
  void use(RedisLink* link);

  // A message of the server.
  void on_push(const Reply& push);

  // Reads what has changed in every table.
  void look();

 private:
  struct TableWatch {
    std::vector<std::weak_ptr<Watcher>> watchers = {};
    std::optional<Version> last = {};  // Reported so far; none: the server has been asked.
    Version seen = kAbsent;            // The last one that the server has had.
    bool reading = false;
    bool again = false;
  };

  std::string base_of(const std::string& table) const { return prefix_ + ":" + table; }
  void begin(const std::string& table, TableWatch& watch);
  void read(const std::string& table);
  void on_changes(const std::string& table, Result<Reply> reply);
  std::size_t report(const std::string& table, TableWatch& watch, const Reply& reply);

  const policy::Keyring& keys_;
  const std::string prefix_;
  const std::function<void(const Error&)> failed_;
  RedisLink* link_ = nullptr;
  std::map<std::string, TableWatch> tables_;
};

}  // namespace patchbay::store
