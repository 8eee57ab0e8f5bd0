// Fuzzes the mirroring of arguments in headers. The first line is a tool's schema, the rest the
// arguments: no schema and no argument may break out of its header line, and the headers that we
// write for a call are accepted for it.
#include <map>

#include "fuzz/require.h"
#include "json/read.h"
#include "mcp/param_headers.h"
#include "mcp/stateless.h"

using patchbay::fuzz::require;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace patchbay;
  const auto text = fuzz::text_of(data, size);
  const std::string coded = mcp::encode_header(text);
  require(coded.find_first_of("\r\n") == std::string::npos);
  require(mcp::decode_header(coded) == text);
  (void)mcp::decode_header(text);

  const std::size_t line = std::min(text.find('\n'), text.size());
  const auto schema = text.substr(0, line);
  const auto arguments = text.substr(std::min(line + 1, text.size()));
  if (!json::check(schema)) return 0;
  const auto headers = mcp::param_headers(schema);
  if (!headers || !json::check(arguments)) return 0;

  const std::string lines = mcp::header_lines(*headers, arguments);
  std::map<std::string, std::string_view, std::less<>> sent;
  std::string_view left = lines;
  while (!left.empty()) {
    const std::size_t end = left.find("\r\n");
    const std::size_t colon = left.find(": ");
    require(end != std::string_view::npos && colon < end);
    const auto added = sent.emplace(left.substr(0, colon), left.substr(colon + 2, end - colon - 2));
    require(added.second && added.first->first.starts_with("Mcp-Param-"));
    left.remove_prefix(end + 2);
  }
  require(sent.size() <= headers->size());
  bool all = true;  // Arguments that are no plain values have no header and are not accepted.
  const auto find = [&](std::string_view name) -> std::optional<std::string_view> {
    const auto found = sent.find(name);
    if (found != sent.end()) return found->second;
    all = false;
    return std::nullopt;
  };
  require(static_cast<bool>(mcp::check_param_headers(*headers, arguments, find)) || !all);
  return 0;
}
