#include "policy/audit/log.h"

#include <utility>

#include "observe/log.h"
#include "policy/audit/database.h"
#include "policy/audit/file.h"

namespace patchbay::policy {
namespace {

// After a failure, how often writing is retried.
constexpr auto kTryAgain = std::chrono::seconds(1);

// Records without a waiting call are written in batches: waking a thread for each would cost more
// than the call.
constexpr auto kGather = std::chrono::milliseconds(5);

Error full() {
  return {Code::unavailable, "too many audit records are queued (audit.max_queued_records)"};
}

}  // namespace

AuditLog::AuditLog(const AuditSettings& settings, std::shared_ptr<AuditCounts> counts)
    : settings_(settings),
      counts_(counts ? std::move(counts) : std::make_shared<AuditCounts>()),
      half_(static_cast<std::size_t>(settings.queue + 1) / 2) {
  if (!settings_.file.empty()) {
    sinks_.push_back(std::make_unique<AuditFile>(settings_));
  }
  if (!settings_.database.empty()) {
    sinks_.push_back(
        std::make_unique<AuditDatabase>(settings_.database, settings_.keep_time, settings_.sync));
  }
  // Determines before the first call whether records can be written.
  std::vector<Done> nobody;
  write({}, nobody);
  thread_ = std::thread([this] { work(); });
}

AuditLog::~AuditLog() {
  {
    const std::lock_guard lock(mutex_);
    stopping_ = true;
  }
  queued_.notify_one();
  thread_.join();
}

Result<void> AuditLog::check() const {
  if (well_.load(std::memory_order_relaxed)) return ok();
  return Error{Code::unavailable,
               "the audit record of this call cannot be written (audit.required)"};
}

void AuditLog::put(AuditRecord record, Done done) {
  bool wake = false;
  {
    const std::lock_guard lock(mutex_);
    if (std::cmp_less(queue_.size(), settings_.queue)) {
      wake = queue_.empty() || (done && waiting_.empty());
      queue_.push_back(std::move(record));
      counts_->queued.fetch_add(1, std::memory_order_relaxed);
      if (done) waiting_.push_back(std::exchange(done, {}));
      wake |= queue_.size() == half_;
    } else {
      count_dropped(1);
    }
  }
  if (wake) queued_.notify_one();
  if (done) done(full());
}

void AuditLog::put_failed_log_in(AuditRecord record) {
  {
    const std::lock_guard lock(mutex_);
    const std::int64_t minute = record.when_ms / 60'000;
    if (std::exchange(minute_, minute) != minute) failed_log_ins_ = 0;
    if (failed_log_ins_ >= settings_.max_failed_log_ins) {
      ++skipped_;
      return;
    }
    ++failed_log_ins_;
    record.skipped = std::exchange(skipped_, 0);
  }
  put(std::move(record));
}

void AuditLog::work() {
  std::vector<AuditRecord> records;
  std::vector<Done> waiting;
  for (;;) {
    {
      std::unique_lock lock(mutex_);
      gather(lock);
      if (stopping_ && queue_.empty()) return;
      records.swap(queue_);
      waiting.swap(waiting_);
    }
    write(records, waiting);
    records.clear();
    waiting.clear();
  }
}

// Waits until there is something to do.
void AuditLog::gather(std::unique_lock<std::mutex>& lock) {
  const auto wanted = [this] { return stopping_ || !queue_.empty(); };
  if (well_) {
    queued_.wait(lock, wanted);
  } else {
    queued_.wait_for(lock, kTryAgain, wanted);
  }
  queued_.wait_for(lock, kGather,
                   [this] { return stopping_ || !waiting_.empty() || queue_.size() >= half_; });
}

void AuditLog::write(const std::vector<AuditRecord>& records, std::vector<Done>& waiting) {
  Result<void> written = ok();
  for (const auto& sink : sinks_) {
    auto stored = sink->write(records);
    if (!stored) written = stored;
  }
  counts_->queued.fetch_sub(static_cast<std::int64_t>(records.size()), std::memory_order_relaxed);
  if (written) {
    counts_->written.fetch_add(records.size(), std::memory_order_relaxed);
  } else {
    count_dropped(records.size());
  }
  note(written);
  for (auto& done : waiting) done(written);
}

void AuditLog::count_dropped(std::size_t records) {
  dropped_.fetch_add(records, std::memory_order_relaxed);
  counts_->dropped.fetch_add(records, std::memory_order_relaxed);
}

void AuditLog::note(const Result<void>& written) {
  const bool was_well = well_.exchange(static_cast<bool>(written));
  if (was_well && !written) {
    log::Line(log::Level::error, "audit failed").add("why", written.error().message);
  } else if (!was_well && written) {
    log::Line(log::Level::info, "audit recovered").add("lost", dropped());
  }
}

}  // namespace patchbay::policy
