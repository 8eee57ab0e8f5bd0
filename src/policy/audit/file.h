// Audit records as lines of a file. A full file is rotated: FILE.1 is the newest of the old ones.
//
// Used only by the writing thread of the AuditLog.
#pragma once

#include <string>

#include "policy/audit/settings.h"
#include "policy/audit/sink.h"

namespace patchbay::policy {

class AuditFile final : public AuditSink {
 public:
  explicit AuditFile(const AuditSettings& settings);
  ~AuditFile() override;
  AuditFile(const AuditFile&) = delete;
  AuditFile& operator=(const AuditFile&) = delete;

  Result<void> write(const std::vector<AuditRecord>& records) override;

 private:
  Result<void> open();
  void close();
  void rotate();
  Result<void> write_out(std::string_view bytes);

  const std::string path_;
  const std::uint64_t most_;
  const int keep_;
  const bool sync_;
  int fd_ = -1;
  std::string lines_;  // A member so that its memory is reused.
  std::uint64_t size_ = 0;
};

}  // namespace patchbay::policy
