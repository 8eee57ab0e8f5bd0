// Consent decides whether a call that is allowed only on terms may be sent: by its arguments, and
// where the rules want a person's word, by that. The client's user is asked where the client can
// ask; otherwise the caller is told how the call can be approved.
//
// One per worker; confined to it. The approvals are shared.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "core/task.h"
#include "gateway/call.h"
#include "gateway/catalog.h"
#include "policy/approvals.h"

namespace patchbay::gateway {

class Consent {
 public:
  // REQUIRES: `approvals` outlives this.
  explicit Consent(policy::Approvals& approvals) : approvals_(approvals) {}

  // Null if the call may be sent, else what it is answered with. REQUIRES: the entry has terms.
  Task<std::optional<mcp::Reply>> judge(Call& call, const CatalogEntry& entry,
                                        const Catalog& catalog);

  // Whether the client of `call` may be asked on account of these terms.
  bool may_ask(const Call& call, const CatalogEntry& entry) const;

 private:
  struct Question;
  Task<std::optional<mcp::Reply>> approve(Call& call, const Question& question);
  Task<std::optional<mcp::Reply>> ask_user(Call& call, const Question& question);
  mcp::Reply wait_for_admin(const Call& call, const Question& question);

  policy::Approvals& approvals_;
};

}  // namespace patchbay::gateway
