// An AuditSink is a destination of audit records: a file, a database.
//
// Used only by the writing thread of the AuditLog.
#pragma once

#include <vector>

#include "core/result.h"
#include "policy/audit/record.h"

namespace patchbay::policy {

class AuditSink {
 public:
  virtual ~AuditSink() = default;
  // With no records: checks that they can be written.
  virtual Result<void> write(const std::vector<AuditRecord>& records) = 0;
};

}  // namespace patchbay::policy
