// Which bytes the value of a header field may contain (RFC 9110): no controls but tabs.
//
// Pure.
#pragma once

#include <string_view>

namespace patchbay::net {

bool is_field_value(std::string_view text);

}  // namespace patchbay::net
