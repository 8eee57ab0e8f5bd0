// An AuditRecord is what is written down of one call, or of an event that is none: an approval, a
// sign-in, a registration, a failed log-in. Values only.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "core/principal.h"

namespace patchbay::policy {

// What is written down beside calls.
inline constexpr std::string_view kApprovalEvent = "approval";
inline constexpr std::string_view kSignInEvent = "sign_in";
inline constexpr std::string_view kRegistrationEvent = "registration";
inline constexpr std::string_view kLogInEvent = "log_in";

struct AuditRecord {
  std::int64_t when_ms = 0;  // When the call was answered, since 1970.
  std::string who;           // The caller's id...
  std::string name;          // ...and name, and how it was recognised.
  std::string way;
  std::string from;  // The address; empty for our own stdin.
  std::string frontend;
  std::string method;
  std::string target;  // As asked: a name or a URI.
  std::string upstream;
  std::string digest;     // SHA-256 of the raw arguments; empty: not asked for, or none.
  std::string arguments;  // JSON on one line, redacted; empty: not asked for, or none.
  std::string decision;   // "allow" or "deny".
  std::string rule;       // Which one decided; empty: none did.
  std::string outcome;    // "ok", or the name of an error.
  std::string trace;
  double ms = 0;
  std::uint64_t bytes_in = 0;
  std::uint64_t bytes_out = 0;
  std::string event = {};     // Which one; empty: a call.
  std::string by = {};        // Who approved the call, or caused the event.
  std::uint64_t skipped = 0;  // Such events before it that have no record of their own.
};

// A record of something that is no call and went well, about `who`, now.
AuditRecord event_record(std::string_view event, const Principal& who);

// One line of JSON, with its newline.
void append_line(std::string& out, const AuditRecord& record);

// "2026-11-15T04:00:00.123Z"
std::string time_text(std::int64_t ms);

// Raw arguments as they are recorded: canonical JSON (json/canonical.h), so that nothing in them
// can look like another record, in which the values of members that fit one of the globs are
// "[redacted]". Arguments that have no canonical form, since a key is there twice or a string has
// half a surrogate pair, are recorded as one JSON string of their text.
std::string audited_arguments(std::string_view raw, const std::vector<std::string>& globs);

}  // namespace patchbay::policy
