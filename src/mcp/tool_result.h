// The result of a tools/call that the gateway itself answers. Values only.
#pragma once

#include <initializer_list>
#include <string_view>

#include "mcp/reply.h"
#include "mcp/revision.h"

namespace patchbay::mcp {

// `{"content":[{"type":"text","text":…}…]}` with one block per text, and "isError" if it failed.
Reply tool_result(std::initializer_list<std::string_view> texts, bool failed);

// Whether a violation of the argument schema is reported in a result with "isError", which models
// read, and not in an error, which programs handle (SEP-1303).
constexpr bool wrong_arguments_are_results(Revision revision) {
  return revision >= Revision::v2025_11_25;
}

}  // namespace patchbay::mcp
