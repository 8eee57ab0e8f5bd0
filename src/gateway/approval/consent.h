// Consent decides whether a call that is allowed only under conditions may be sent: by its
// arguments and, where the rules require it, by an approval. The user of an MCP client is asked
// where that is allowed and the client can ask; otherwise the reply explains how an admin can
// approve the call.
//
// One per worker; confined to it. The approvals are shared.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "async/task.h"
#include "gateway/call/call.h"
#include "gateway/call/record.h"
#include "gateway/catalog/catalog.h"
#include "policy/rules/approvals.h"

namespace patchbay::gateway {

class Consent {
 public:
  // REQUIRES: both outlive this.
  Consent(policy::Approvals& approvals, Recorder& recorder)
      : approvals_(approvals), recorder_(recorder) {}

  // Null if the call may be sent, else its answer. REQUIRES: the entry has conditions.
  Task<std::optional<mcp::Reply>> evaluate(Call& call, const CatalogEntry& entry,
                                           const Catalog& catalog);

  // Whether the conditions of `entry` may require a question to the client of `call`.
  bool may_ask(const Call& call, const CatalogEntry& entry) const;

 private:
  struct Question;
  Task<std::optional<mcp::Reply>> approve(Call& call, const Question& question);
  Task<std::optional<mcp::Reply>> ask_user(Call& call, const Question& question);
  Task<std::optional<mcp::Reply>> wait_for_admin(const Call& call, const Question& question);
  bool may_ask_user(const Call& call) const;
  void note_decision(const Call& call, const policy::ApprovalSubject& subject, bool approved);

  policy::Approvals& approvals_;
  Recorder& recorder_;
};

}  // namespace patchbay::gateway
