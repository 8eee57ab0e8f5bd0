// Fuzzes the parser of HTTP response heads, like http_request.cc.
#include "fuzz/require.h"
#include "net/http/syntax/parse.h"

using patchbay::fuzz::require;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace patchbay::net;
  const auto text = patchbay::fuzz::text_of(data, size);
  const HttpLimits limits{256, 1024, 16};
  HttpResponseHead response;
  const auto head = parse_response(text, limits, response);
  if (!head || *head == 0) return 0;
  require(*head <= limits.headers && text.substr(0, *head).ends_with("\r\n\r\n"));
  require(response.status >= 100 && response.status <= 999);
  require(!(response.framing.chunked && response.framing.length));
  require(response.fields.size() <= limits.fields);
  HttpResponseHead again;
  const auto alone = parse_response(text.substr(0, *head), limits, again);
  require(alone && *alone == *head && again.status == response.status);
  const auto shorter = parse_response(text.substr(0, *head - 1), limits, again);
  require(shorter && *shorter == 0);
  return 0;
}
