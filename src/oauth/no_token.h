// The errors that say that there is no token to show to an upstream, and how to know them.
//
// Pure functions.
#pragma once

#include <string>
#include <string_view>

#include "core/result.h"

namespace patchbay::oauth {

// A person must sign in; `why` goes on the sentence.
Error sign_in_wanted(const std::string& upstream, std::string_view why);

// Whatever was wrong there is, to whoever called, a failure of the upstream; unless it is for them
// to do something about it.
Error no_token(const std::string& upstream, const Error& why);

// True if the error says that a person must sign in.
bool wants_sign_in(const Error& error);
// True if it says that there is no token, whoever or whatever may change that.
bool lacks_token(const Error& error);

}  // namespace patchbay::oauth
