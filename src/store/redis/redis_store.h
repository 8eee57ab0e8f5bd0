// The RedisStore is the store of several machines: a Valkey or Redis server, which all gateways
// use. It has one connection, and a thread for it; everything that is queued goes out in one write.
// Values are sealed and opened on the threads of the callers.
//
// While the server cannot be reached, requests fail at once. The first attempt to connect, and the
// first one after a connection was lost, are waited for.
//
// Usable from any thread; see store.h.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "async/one_shot.h"
#include "async/scope.h"
#include "crypto/keyring.h"
#include "net/io/loop.h"
#include "net/tls/context.h"
#include "store/redis/link.h"
#include "store/redis/settings.h"
#include "store/redis/watches.h"
#include "store/store.h"

namespace patchbay::store {

class RedisStore final : public Store {
 public:
  // Begins to connect. An error if the settings are wrong; a server that cannot be reached is none.
  // REQUIRES: the keys outlive the store.
  static Result<std::unique_ptr<RedisStore>> open(const RedisSettings& settings,
                                                  const policy::Keyring& keys);
  ~RedisStore() override { RedisStore::close(); }

  bool outlives_process() const override { return true; }
  bool shared() const override { return true; }
  Task<std::optional<Entry>> get(const Table& table, std::string key, Deadline deadline) override;
  Task<Version> put(const Table& table, Item item, Deadline deadline) override;
  Task<std::optional<Version>> put_if(const Table& table, Item item, Version expected,
                                      Deadline deadline) override;
  Task<void> erase(const Table& table, std::string key, Deadline deadline) override;
  Task<std::vector<Entry>> scan(const Table& table, std::string after, std::size_t most,
                                Deadline deadline) override;
  Task<std::int64_t> add(const Table& table, std::string key, std::int64_t delta, Time expires,
                         Deadline deadline) override;
  Task<std::chrono::microseconds> advance(const Table& table, std::string key,
                                          std::chrono::microseconds by, Deadline deadline) override;
  std::unique_ptr<Watch> watch(const Table& table, Executor& owner,
                               std::function<void(const Change&)> notify) override;
  void set_bounds(const Bounds& bounds) override { most_queued_ = bounds.queue; }
  Status status() const override;
  void close() override;

 private:
  enum class State : std::uint8_t { connecting, connected, unreachable };

  // A request of another thread. The waiting task may end early, so both sides own it.
  struct Job;
  class WatchHandle;

  RedisStore(const RedisSettings& settings, RedisAddress address,
             std::shared_ptr<const net::TlsContext> tls, const policy::Keyring& keys);

  std::string base_of(const Table& table) const;
  Task<Reply> request(std::shared_ptr<Job> job, Deadline deadline);
  Task<std::optional<Version>> change(const Table& table, Item item, std::string expected,
                                      Deadline deadline);

  // On its own thread.
  void take(const std::shared_ptr<Job>& job);
  void send(const std::shared_ptr<Job>& job);
  void finish(std::shared_ptr<Job> job, Result<Reply> reply);
  void fail_waiting(const Error& why);
  Task<void> keep_connected();
  Task<void> use_link();
  Task<void> look_at_tables();
  Task<void> end();
  void set_state(State state, const std::string& why);

  const RedisSettings settings_;
  const RedisAddress address_;
  const std::shared_ptr<const net::TlsContext> tls_;  // Null: none.
  const policy::Keyring& keys_;

  std::atomic<std::size_t> most_queued_ = Bounds().queue;
  std::atomic<std::size_t> queued_ = 0;
  std::atomic<std::uint64_t> failures_ = 0;
  std::atomic<bool> closed_ = false;
  mutable std::mutex mutex_;
  std::string problem_;  // Guarded; empty: it is connected, or tries for the first time.
  std::atomic<State> state_ = State::connecting;

  net::Loop loop_;
  // Used on its own thread only.
  std::unique_ptr<RedisLink> link_;
  std::deque<std::shared_ptr<Job>> waiting_;  // For the connection.
  RedisWatches watches_;
  OneShot<void> idle_;  // Delivered when nothing is queued and the store is being closed.
  bool ending_ = false;
  Scope tasks_;
  Scope last_;

  std::thread thread_;
};

}  // namespace patchbay::store
