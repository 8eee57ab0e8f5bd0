#include "policy/audit_log.h"

#include "observe/log.h"
#include "policy/audit_database.h"
#include "policy/audit_file.h"

namespace patchbay::policy {
namespace {

// After a failure, how often it is tried whether records can be written again.
constexpr auto kTryAgain = std::chrono::seconds(1);

Error full() {
  return {Code::unavailable, "too many audit records wait to be written (audit.queue)"};
}

}  // namespace

AuditLog::AuditLog(const AuditSettings& settings) : settings_(settings) {
  if (!settings_.file.empty()) {
    sinks_.push_back(std::make_unique<AuditFile>(settings_));
  }
  if (!settings_.database.empty()) {
    sinks_.push_back(
        std::make_unique<AuditDatabase>(settings_.database, settings_.keep_time, settings_.sync));
  }
  // Whether records can be kept at all is known before the first call.
  write({});
  thread_ = std::thread([this] { work(); });
}

AuditLog::~AuditLog() {
  {
    const std::lock_guard lock(mutex_);
    stopping_ = true;
  }
  come_.notify_one();
  thread_.join();
}

Result<void> AuditLog::check() const {
  if (well_.load(std::memory_order_relaxed)) return ok();
  return Error{Code::unavailable, "the record of this call cannot be kept (audit.required)"};
}

void AuditLog::put(AuditRecord record, Done done) {
  bool first = false;
  {
    const std::lock_guard lock(mutex_);
    if (std::cmp_less(queue_.size(), settings_.queue)) {
      first = queue_.empty();
      queue_.push_back({std::move(record), std::move(done)});
    } else {
      dropped_.fetch_add(1, std::memory_order_relaxed);
    }
  }
  if (first) come_.notify_one();
  if (done) done(full());
}

void AuditLog::work() {
  for (;;) {
    std::vector<Waiting> batch;
    {
      std::unique_lock lock(mutex_);
      const auto wanted = [this] { return stopping_ || !queue_.empty(); };
      if (well_) {
        come_.wait(lock, wanted);
      } else {
        come_.wait_for(lock, kTryAgain, wanted);
      }
      if (stopping_ && queue_.empty()) return;
      batch.swap(queue_);
    }
    write(std::move(batch));
  }
}

void AuditLog::write(std::vector<Waiting> batch) {
  std::vector<AuditRecord> records;
  records.reserve(batch.size());
  for (auto& one : batch) records.push_back(std::move(one.record));
  Result<void> written = ok();
  for (const auto& sink : sinks_) {
    auto kept = sink->write(records);
    if (!kept) written = kept;
  }
  if (!written) dropped_.fetch_add(records.size(), std::memory_order_relaxed);
  note(written);
  for (auto& one : batch) {
    if (one.done) one.done(written);
  }
}

void AuditLog::note(const Result<void>& written) {
  const bool was_well = well_.exchange(static_cast<bool>(written));
  if (was_well && !written) {
    log::Line(log::Level::error, "audit failed").add("why", written.error().message);
  } else if (!was_well && written) {
    log::Line(log::Level::info, "audit goes on").add("lost", dropped());
  }
}

}  // namespace patchbay::policy
