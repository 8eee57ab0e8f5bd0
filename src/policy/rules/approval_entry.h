// An ApprovalEntry is a call that waits for a person's approval, or that was approved and has not
// been repeated yet. An ApprovedCall is the last call of a tool that was approved. Both as values,
// and as the text that the store has of them.
//
// Values only; usable from any thread.
#pragma once

#include <chrono>
#include <cstdint>
#include <string>
#include <string_view>

#include "core/result.h"
#include "store/store.h"

namespace patchbay::policy {

inline constexpr store::Table kApprovalTable{"approvals"};
inline constexpr store::Table kApprovedCallTable{"approved_calls"};

// How long the end of an entry is stored, and remembered: longer than any gateway takes to learn of
// it.
inline constexpr auto kOverTime = std::chrono::minutes(10);

// The parts of a call that an approval is bound to.
struct ApprovalSubject {
  std::string caller;  // Its id.
  std::string tool;    // upstream.tool
  std::string digest;  // Of the canonical arguments.
  std::string policy;  // The version of the rules.

  bool operator==(const ApprovalSubject&) const = default;
};

// An entry that was used or refused remains for a while, without the call, so that every gateway
// learns of it.
enum class ApprovalState : std::uint8_t { waiting, approved, used, refused };

struct ApprovalEntry {
  std::string id = {};  // Its key in the store.
  ApprovalSubject subject = {};
  std::string caller_name = {};
  std::string arguments = {};  // Canonical.
  ApprovalState state = ApprovalState::waiting;
  std::string approved_by = {};  // The name of the approving caller.
  // By the clocks of the gateways that wrote them, for people. What has expired, the store decides.
  store::Time asked = {};
  store::Time expires = {};
  std::chrono::milliseconds ttl{};  // From the last change to `expires`.

  bool open() const { return state == ApprovalState::waiting || state == ApprovalState::approved; }
};

struct ApprovedCall {
  std::string tool = {};
  std::string caller = {};  // Its id.
  std::string arguments = {};
  std::string by = {};  // The name of the approving caller.
  store::Time when = {};
};

// The id of the entry of a call. It has 128 bits of a digest: nobody finds two calls with one id,
// of which one is displayed and the other approved.
std::string approval_id(const ApprovalSubject& subject);
bool is_approval_id(std::string_view text);

// The key of the last approved call of a tool.
std::string approved_call_key(std::string_view tool);

std::string text_of(const ApprovalEntry& entry);
std::string text_of(const ApprovedCall& call);

// Code::internal for a text that this version cannot have written.
Result<ApprovalEntry> approval_entry(std::string id, std::string_view text);
Result<ApprovedCall> approved_call(std::string_view text);

}  // namespace patchbay::policy
