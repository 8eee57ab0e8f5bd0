// Records and spans name a session by a digest, since its id is a secret of the client. A digest
// costs as much as a tenth of a call, so it is made once for each session.
//
// Pure.
#pragma once

#include <string>
#include <string_view>

namespace patchbay::gateway {

// 16 hexadecimal digits.
std::string session_digest(std::string_view id);

}  // namespace patchbay::gateway
