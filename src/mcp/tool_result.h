// The result of a tools/call that the gateway itself answers. Values only.
#pragma once

#include <initializer_list>
#include <string>
#include <string_view>

namespace patchbay::mcp {

// `{"content":[{"type":"text","text":…}…]}` with one block per text, and "isError" if it failed.
std::string tool_result(std::initializer_list<std::string_view> texts, bool failed);

}  // namespace patchbay::mcp
