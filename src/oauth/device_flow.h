// The device flow (RFC 8628): a person signs in with a browser on another machine, by a link and a
// code that we print, while we poll for the token.
//
// Usable on any thread with a loop.
#pragma once

#include <chrono>
#include <string>
#include <string_view>

#include "oauth/client.h"
#include "oauth/fetcher.h"
#include "oauth/token_answer.h"

namespace patchbay::oauth {

// What the person needs, and what we need to poll for the token.
struct DeviceCode {
  std::string device;  // Secret.
  std::string user;    // To be typed in,
  std::string url;     // there.
  std::string link;    // The URL with the code in it; empty: there is none.
  std::chrono::seconds expires{0};
  std::chrono::seconds interval{5};
};

// A successful answer of a device endpoint.
Result<DeviceCode> parse_device_code(std::string_view body);

// One sentence that asks a person to sign in.
std::string sign_in_message(const DeviceCode& code);

// Requests a code. REQUIRES: the arguments outlive the task; the server has a device endpoint.
Task<DeviceCode> ask_device_code(const Fetcher& fetcher, const ServerMetadata& server,
                                 const Client& client, std::string scopes, std::string resource);

// Yields the token once the person has signed in; Code::forbidden if they refuse, Code::timeout if
// they take too long.
Task<TokenAnswer> wait_for_sign_in(const Fetcher& fetcher, const ServerMetadata& server,
                                   const Client& client, DeviceCode code);

}  // namespace patchbay::oauth
