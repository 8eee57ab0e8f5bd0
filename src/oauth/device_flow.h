// The device flow (RFC 8628): a person signs in with a browser that is somewhere else, by a link
// and a code that we show, while we ask again and again whether it is done.
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

// What the person needs, and what we need to ask for the token.
struct DeviceCode {
  std::string device;  // Secret.
  std::string user;    // To be typed in,
  std::string url;     // there.
  std::string link;    // The same with the code in it; empty: there is none.
  std::chrono::seconds expires{0};
  std::chrono::seconds interval{5};
};

// The answer of a device endpoint with a status of success.
Result<DeviceCode> parse_device_code(std::string_view body);

// What a person is asked to do, in one sentence.
std::string sign_in_words(const DeviceCode& code);

// Asks for a code. REQUIRES: what is referred to outlives the task; the server has a device
// endpoint.
Task<DeviceCode> ask_device_code(const Fetcher& fetcher, const ServerMetadata& server,
                                 const Client& client, std::string scopes, std::string resource);

// Yields the token once the person has signed in; Code::forbidden if they refuse, Code::timeout if
// they take too long.
Task<TokenAnswer> wait_for_sign_in(const Fetcher& fetcher, const ServerMetadata& server,
                                   const Client& client, DeviceCode code);

}  // namespace patchbay::oauth
