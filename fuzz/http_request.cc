// Fuzzes the HTTP request parser. Beyond memory faults it checks that the result does not depend on
// how the head arrives: a complete head stays complete with more bytes behind it, and a shorter
// piece is neither complete nor refused for another reason than its size.
#include "fuzz/require.h"
#include "net/http/syntax/parse.h"

using patchbay::fuzz::require;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace patchbay::net;
  const auto text = patchbay::fuzz::text_of(data, size);
  const HttpLimits limits{256, 1024, 16};
  HttpRequest request;
  const auto head = parse_request(text, limits, request);
  if (!head) {
    require(parse_status(head.error()) >= 400);
    return 0;
  }
  if (*head == 0) return 0;
  require(*head <= text.size() && text.substr(0, *head).ends_with("\r\n\r\n"));
  require(!(request.framing.chunked && request.framing.length));
  require(request.path.starts_with('/') || request.path == "*");
  require(request.fields.size() <= limits.fields);
  for (const auto& field : request.fields) {
    require(field.value.find_first_of("\r\n") == std::string_view::npos);
  }
  HttpRequest again;
  const auto alone = parse_request(text.substr(0, *head), limits, again);
  require(alone && *alone == *head);
  const auto shorter = parse_request(text.substr(0, *head - 1), limits, again);
  require(shorter && *shorter == 0);
  return 0;
}
