// Audit records as lines of a file. When the file is full it is put aside (FILE.1 is the newest of
// those) and begun anew.
//
// Used by the writing thread of the AuditLog alone.
#pragma once

#include <string>

#include "policy/audit/log.h"

namespace patchbay::policy {

class AuditFile final : public AuditLog::Sink {
 public:
  explicit AuditFile(const AuditSettings& settings);
  ~AuditFile() override;
  AuditFile(const AuditFile&) = delete;
  AuditFile& operator=(const AuditFile&) = delete;

  // With no records: finds out whether there is anywhere to write them.
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
  std::string lines_;  // Kept for its memory.
  std::uint64_t size_ = 0;
};

}  // namespace patchbay::policy
