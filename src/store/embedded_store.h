// The EmbeddedStore is the store of one machine: an SQLite file, and a thread that alone uses it.
// No worker waits for a disk. All changes that are queued when the thread looks become one
// transaction.
//
// Usable from any thread; see store.h.
#pragma once

#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "async/one_shot.h"
#include "store/embedded_tables.h"
#include "store/store.h"

namespace patchbay::store {

class EmbeddedStore final : public Store {
 public:
  // The file in the folder `state`, which is created if necessary; an empty name: in memory.
  // REQUIRES: the keys outlive the store.
  static Result<std::unique_ptr<EmbeddedStore>> open(const std::string& state,
                                                     const policy::Keyring& keys);
  static std::string file_in(const std::string& state) { return state + "/store.sqlite"; }
  ~EmbeddedStore() override { EmbeddedStore::close(); }

  bool outlives_process() const override { return outlives_; }
  bool shared() const override { return false; }
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
  void set_bounds(const Bounds& bounds) override;
  Status status() const override;
  void close() override;

 private:
  // One request.
  class Job {
   public:
    explicit Job(bool changes) : changes_(changes) {}
    virtual ~Job() = default;
    bool changes() const { return changes_; }
    // Code::internal undoes the whole transaction.
    virtual Result<void> run(EmbeddedTables& tables, Time now) = 0;
    // The outcome of the transaction is the outcome of its jobs.
    virtual void fail(const Error& why) = 0;
    virtual void answer(std::shared_ptr<Job> self) = 0;

   private:
    const bool changes_;
  };
  template <class T>
  class JobFor;
  using Jobs = std::vector<std::shared_ptr<Job>>;

  // The state of a Watch. `notify` is used on the thread of `owner`.
  struct Watcher {
    std::string table;
    Executor& owner;
    std::function<void(const Change&)> notify;
  };
  class WatchHandle;

  EmbeddedStore(EmbeddedTables tables, bool outlives);
  template <class T>
  Task<T> request(bool changes, std::function<Result<T>(EmbeddedTables&, Time)> work,
                  Deadline deadline);
  Result<void> enter(std::shared_ptr<Job> job);
  void work();
  void run_jobs(const Jobs& jobs);
  void begin_reports();
  void report_changes();
  void purge_some();
  std::vector<std::shared_ptr<Watcher>> watchers();

  const bool outlives_;
  std::atomic<std::uint64_t> bytes_ = 0;
  std::atomic<std::uint64_t> failures_ = 0;

  // Used by the thread.
  EmbeddedTables tables_;
  Version reported_ = kAbsent;
  bool watched_ = false;  // There were watchers when it last looked.
  Deadline next_purge_{};

  // Guarded.
  mutable std::mutex mutex_;
  std::condition_variable changed_;
  Bounds bounds_;
  std::deque<std::shared_ptr<Job>> waiting_;
  std::vector<std::weak_ptr<Watcher>> watchers_;
  bool stopping_ = false;
  std::thread thread_;  // Started by the first request.
};

}  // namespace patchbay::store
