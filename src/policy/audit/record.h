// An AuditRecord describes one call, or another event: an approval, a sign-in, a registration, a
// failed log-in.
//
// Values only.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "core/principal.h"

namespace patchbay::policy {

// The events other than calls.
inline constexpr std::string_view kApprovalEvent = "approval";
inline constexpr std::string_view kSignInEvent = "sign_in";
inline constexpr std::string_view kRegistrationEvent = "registration";
inline constexpr std::string_view kLogInEvent = "log_in";
inline constexpr std::string_view kUpstreamEvent = "upstream";
inline constexpr std::string_view kClientEvent = "client";
inline constexpr std::string_view kTokenEvent = "token";
inline constexpr std::string_view kToolEvent = "tool";
inline constexpr std::string_view kSandboxEvent = "sandbox";
inline constexpr std::string_view kBusEvent = "bus";
inline constexpr std::string_view kConfigurationEvent = "configuration";

struct AuditRecord {
  std::int64_t when_ms = 0;  // When the call was answered, since 1970.
  std::string caller;        // The caller's id.
  std::string name;          // The caller's name.
  std::string auth_method;
  std::string from;  // The address; empty for our own stdin.
  std::string frontend;
  std::string client = {};  // Name and version of the program, as it states them; may be empty.
  std::string method;
  std::string target;  // As requested: a name or a URI.
  std::string upstream;
  std::string digest;     // SHA-256 of the raw arguments; empty: not configured, or no arguments.
  std::string arguments;  // JSON on one line, redacted; empty: not configured, or no arguments.
  std::string decision;   // "allow" or "deny".
  std::string rule;       // The rule that decided; empty: none did.
  std::string outcome;    // "ok", or the name of an error.
  std::string trace;
  double ms = 0;
  std::uint64_t bytes_in = 0;
  std::uint64_t bytes_out = 0;
  std::string event = {};     // Empty: a call.
  std::string by = {};        // The person that approved the call or caused the event.
  std::uint64_t skipped = 0;  // How many earlier events of this kind have no record of their own.
  std::int64_t row = 0;       // Of the database that it was read from; 0: none.
};

// A record of a successful event about `caller`, now.
AuditRecord event_record(std::string_view event, const Principal& caller);

// One line of JSON, with its newline.
void append_line(std::string& out, const AuditRecord& record);

// "2026-11-15T04:00:00.123Z"
std::string time_text(std::int64_t ms);

// Raw arguments as they are recorded: canonical JSON (json/canonical.h), so that nothing in them
// can look like another record. The values of members that match one of the globs become
// "[redacted]". Arguments that have no canonical form, because of a duplicate key or an unpaired
// surrogate, are recorded as one JSON string of their text.
std::string audited_arguments(std::string_view raw, const std::vector<std::string>& globs);

}  // namespace patchbay::policy
