// Fuzzes the answers of servers to an OAuth client: challenges, metadata, tokens, codes. Accepted
// values can be sent in a header or requested as a scope.
#include "fuzz/require.h"
#include "oauth/challenge.h"
#include "oauth/device_flow.h"
#include "oauth/metadata.h"
#include "oauth/token_answer.h"

#include <algorithm>

using patchbay::fuzz::require;
using namespace patchbay::oauth;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string text(patchbay::fuzz::text_of(data, size));
  const std::vector<std::string> values{text};
  if (const auto challenge = bearer_challenge(values); challenge && challenge->scopes) {
    require(std::ranges::all_of(*challenge->scopes, is_scope));
    require(split_scopes(join_scopes(*challenge->scopes)) == *challenge->scopes);
  }
  if (const auto resource = parse_resource_metadata(text)) {
    require(!resource->servers.empty() && !resource->resource.empty());
    for (const auto& server : resource->servers) {
      const auto urls = server_metadata_urls(server);
      require(!urls || urls->size() >= 2);
    }
  }
  if (const auto server = parse_server_metadata(text)) require(!server->issuer.empty());
  if (const auto answer = parse_token_answer(text)) {
    require(std::ranges::all_of(answer->access, [](char c) { return c > 0x20 && c < 0x7F; }));
    require(!answer->expires || answer->expires->count() >= 0);
  }
  if (const auto code = parse_device_code(text)) {
    const std::string message = sign_in_message(*code);
    require(std::ranges::all_of(message, [](char c) { return c >= 0x20 && c < 0x7F; }));
    require(code->interval.count() >= 1 && code->expires.count() >= 1);
  }
  const std::string reason = reason_of_refusal(400, text);
  require(std::ranges::none_of(reason, [](char c) { return c == '\n' || c == '\r'; }));
  return 0;
}
