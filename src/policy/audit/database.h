// Audit records as rows of an SQLite file, and queries over them.
//
// The sink is used only by the writing thread of the AuditLog; find_audit() by any thread that may
// block.
#pragma once

#include <chrono>
#include <limits>
#include <optional>
#include <string>

#include "config/units.h"
#include "core/sqlite.h"
#include "policy/audit/sink.h"

namespace patchbay::policy {

class AuditDatabase final : public AuditSink {
 public:
  AuditDatabase(std::string path, config::Duration keep_time, bool sync)
      : path_(std::move(path)), keep_time_(keep_time), sync_(sync) {}

  Result<void> write(const std::vector<AuditRecord>& records) override;

 private:
  Result<void> open();
  Result<void> insert(const std::vector<AuditRecord>& records);
  Result<void> forget_old(std::int64_t now_ms);

  const std::string path_;
  const config::Duration keep_time_;
  const bool sync_;
  std::optional<sqlite::Database> database_;
  std::int64_t next_forget_ms_ = 0;
};

// A filter over records. Empty: any.
struct AuditFilter {
  std::optional<std::int64_t> since_ms = {};
  std::optional<std::int64_t> until_ms = {};
  std::string caller = {};    // The id or the name of a caller; a glob.
  std::string target = {};    // A glob.
  std::string upstream = {};  // A glob.
  std::string outcome = {};   // A glob; `!ok` is anything but ok.
  std::string trace = {};
  int most = 100;
  std::string event = {};  // A glob; `call` selects the records of calls.
  std::string owner = {};  // The id of the only caller whose records are selected; no glob.
  bool by_row = false;     // In the order in which they were written, for pages.
  std::chrono::milliseconds max_time{0};  // Code::timeout after that; 0: no limit.
  // The range of rows to search, in the order in which they were written: after the first, up to
  // the last.
  std::int64_t after_row = 0;
  std::int64_t last_row = std::numeric_limits<std::int64_t>::max();
};

// The newest first.
Result<std::vector<AuditRecord>> find_audit(const std::string& path, const AuditFilter& filter);

// The row that was written last; 0: there is none.
Result<std::int64_t> newest_audit_row(const std::string& path);

}  // namespace patchbay::policy
