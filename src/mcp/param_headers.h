// Arguments of a tool that are mirrored in HTTP headers, so that intermediaries can route by them
// (2026-07-28): `"x-mcp-header":"Region"` in the schema of an argument makes `Mcp-Param-Region` a
// header of each call. The gateway writes them to upstreams and checks those of clients. Pure.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/result.h"

namespace patchbay::mcp {

struct ParamHeader {
  enum class Type : std::uint8_t { string, integer, boolean };

  std::vector<std::string> path;  // From the arguments down to the value.
  std::string header;             // The full name, `Mcp-Param-Region`.
  Type type = Type::string;

  bool operator==(const ParamHeader&) const = default;
};

// The mirrored arguments of a tool, from its raw inputSchema. An error names the rule that the
// schema breaks; the tool must then not be listed. Cheap where there are none.
Result<std::vector<ParamHeader>> param_headers(std::string_view input_schema);

// The header lines of a call, each with its line break. `arguments` are raw and may be empty.
std::string header_lines(const std::vector<ParamHeader>& headers, std::string_view arguments);

// Checks that the headers of a request match its arguments; Code::header_mismatch if not. `find`
// yields the value of a header by its name in any case.
using FindHeader = std::function<std::optional<std::string_view>(std::string_view name)>;
Result<void> check_param_headers(const std::vector<ParamHeader>& headers,
                                 std::string_view arguments, const FindHeader& find);

}  // namespace patchbay::mcp
