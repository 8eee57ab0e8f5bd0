// The AuditLog stores the records of calls: in a file of lines that is rotated, in an SQLite
// database, or both. One thread writes; calls only queue their records. When a record cannot be
// written, that is logged once and counted, and the log is unhealthy until a write succeeds.
//
// Usable from any thread.
#pragma once

#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <thread>
#include <vector>

#include "core/result.h"
#include "policy/audit/record.h"
#include "policy/audit/settings.h"
#include "policy/audit/sink.h"

namespace patchbay::policy {

// The counters that successive AuditLogs of a process share: a reload may replace the log.
struct AuditCounts {
  std::atomic<std::int64_t> queued = 0;  // Records that wait to be written.
  std::atomic<std::uint64_t> written = 0;
  std::atomic<std::uint64_t> dropped = 0;
};

class AuditLog {
 public:
  // Called on the writing thread with the outcome of a record.
  using Done = std::move_only_function<void(Result<void>)>;

  // `counts` may be null.
  explicit AuditLog(const AuditSettings& settings, std::shared_ptr<AuditCounts> counts = {});
  // Writes all queued records.
  ~AuditLog();

  const AuditSettings& settings() const { return settings_; }

  // Code::unavailable if a record could not be written now.
  Result<void> check() const;

  // Queues a record. If the queue is full, the record is dropped and counted, and `done` is called
  // at once with an error.
  void put(AuditRecord record, Done done = {});

  // The same for a failed log-in. Beyond `max_failed_log_ins` in a minute they are only counted, so
  // that an attacker cannot fill the disk; the next record has the count.
  void put_failed_log_in(AuditRecord record);

  std::uint64_t dropped() const { return dropped_.load(std::memory_order_relaxed); }

 private:
  void work();
  void gather(std::unique_lock<std::mutex>& lock);
  void write(const std::vector<AuditRecord>& records, std::vector<Done>& waiting);
  void note(const Result<void>& written);
  void count_dropped(std::size_t records);

  const AuditSettings settings_;
  const std::shared_ptr<AuditCounts> counts_;
  const std::size_t half_;  // From this many records on, the batch is written at once.
  std::vector<std::unique_ptr<AuditSink>> sinks_;
  std::atomic<bool> well_ = true;
  std::atomic<std::uint64_t> dropped_ = 0;

  std::mutex mutex_;
  std::condition_variable queued_;
  std::vector<AuditRecord> queue_;
  std::vector<Done> waiting_;  // For the records of the queue.
  bool stopping_ = false;
  std::int64_t minute_ = 0;    // The minute in which failed log-ins are counted,
  int failed_log_ins_ = 0;     // those that have a record,
  std::uint64_t skipped_ = 0;  // and all that had none since the last record.

  std::thread thread_;
};

}  // namespace patchbay::policy
