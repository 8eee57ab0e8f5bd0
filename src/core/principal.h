// A Principal is the identity of a caller, as the gateway has established it. A Caller is a shared
// Principal: all calls of one caller use the same object.
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

// How a caller was authenticated.
enum class AuthMethod : std::uint8_t { none, token, jwt, basic, certificate, proxy };

constexpr std::string_view name_of(AuthMethod method) {
  constexpr std::string_view kNames[] = {"none", "token", "jwt", "basic", "certificate", "proxy"};
  return kNames[static_cast<std::size_t>(method)];
}

struct Principal {
  std::string id = "local";    // Unique: two callers never have the same id.
  std::string name = "local";  // For people, and in rules.
  AuthMethod auth_method = AuthMethod::none;
  std::vector<std::string> roles = {};
  std::vector<std::string> scopes = {};
  std::string claims = "{}";  // All claims of a token, as raw JSON.

  // For authenticated callers: the credentials are valid before `until`, and as long as `known_by`,
  // the table in which they were found, is in use.
  std::chrono::system_clock::time_point until = std::chrono::system_clock::time_point::max();
  std::weak_ptr<const void> known_by = {};
};

// For objects that outlive the request that created them, such as a stream: whether the caller
// would still be authenticated.
inline bool still_stands(const Principal& caller) {
  if (caller.auth_method == AuthMethod::none) return true;
  return !caller.known_by.expired() && std::chrono::system_clock::now() < caller.until;
}

// Null: not authenticated.
using Caller = std::shared_ptr<const Principal>;

// The caller on a connection that requires no authentication: our own stdin, or a loopback
// listener.
inline Caller local_caller() { return std::make_shared<const Principal>(); }

}  // namespace patchbay
