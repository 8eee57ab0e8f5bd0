// The errors for a missing token, and how to recognise them.
//
// Pure functions.
#pragma once

#include <string>
#include <string_view>

#include "core/result.h"

namespace patchbay::oauth {

// A person must sign in; `why` continues the sentence.
Error sign_in_wanted(const std::string& upstream, std::string_view why);

// To the caller, any failure to get a token is a failure of the upstream, unless the caller must
// act.
Error no_token(const std::string& upstream, const Error& why);

// True if the error asks a person to sign in.
bool wants_sign_in(const Error& error);
// True if the error states that there is no token, for any reason.
bool lacks_token(const Error& error);

}  // namespace patchbay::oauth
