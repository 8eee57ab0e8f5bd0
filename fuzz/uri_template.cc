// Fuzzes URI templates: one on the first line, a URI on the second. A text without expressions
// matches itself, and rules about resources see every spelling of a URI.
#include "mcp/uri_template.h"
#include "fuzz/require.h"
#include "json/uri.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace patchbay;
  using fuzz::require;
  const auto text = fuzz::text_of(data, size);
  const std::size_t line = std::min(text.find('\n'), text.size());
  const auto pattern = text.substr(0, line);
  const auto uri = text.substr(std::min(line + 1, text.size()));
  const bool matches = mcp::matches_template(pattern, uri);
  if (!pattern.contains('{')) require(matches == (pattern == uri));
  require(uri.empty() || mcp::matches_template("{+all}", uri));
  const std::string normal = json::normal_uri(json::decode_percents_leniently(uri));
  require(normal.size() <= uri.size() + 1);
  require(json::decode_percents(uri).value_or("").size() <= uri.size());
  return 0;
}
