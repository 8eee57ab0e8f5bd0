// A Principal is who makes a call, as far as the gateway knows. A Caller is a Principal that all
// calls of one and the same share.
//
// Values only, constant once shared; usable from any thread.
#pragma once

#include <array>
#include <chrono>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace patchbay {

// How a caller was authenticated. `none`: it was not, because nothing asks for credentials.
enum class AuthMethod : std::uint8_t { none, token, jwt, basic, certificate, proxy };

// Its name in the log, the audit log and templates.
constexpr std::string_view name_of(AuthMethod method) {
  constexpr std::array<std::string_view, 6> kNames{"none",  "token",       "jwt",
                                                   "basic", "certificate", "proxy"};
  return kNames[static_cast<std::size_t>(method)];
}

struct Principal {
  std::string id = "local";    // The same for all calls of one caller, and for no other caller's.
  std::string name = "local";  // For people, and in rules.
  AuthMethod auth_method = AuthMethod::none;
  std::vector<std::string> roles = {};
  std::vector<std::string> scopes = {};
  std::string claims = "{}";  // What else is known, as raw JSON.

  // Of authenticated callers: the credentials are valid before `until`, and as long as what they
  // were checked against is in use.
  std::chrono::system_clock::time_point until = std::chrono::system_clock::time_point::max();
  std::weak_ptr<const void> known_by = {};
};

// Whether the credentials of a caller are still valid. For streams and the like, which outlive the
// request that they began with.
inline bool still_stands(const Principal& who) {
  if (who.auth_method == AuthMethod::none) return true;
  return !who.known_by.expired() && std::chrono::system_clock::now() < who.until;
}

// Null: not authenticated.
using Caller = std::shared_ptr<const Principal>;

// The caller where no authentication is configured: on our own stdin, or on a loopback listener.
inline Caller local_caller() { return std::make_shared<const Principal>(); }

}  // namespace patchbay
