#include "mcp/tool_result.h"

#include <string>
#include <utility>

#include "json/text.h"

namespace patchbay::mcp {

Reply tool_result(std::initializer_list<std::string_view> texts, bool failed) {
  std::size_t size = 64;
  for (const auto text : texts) size += text.size() + 32;
  std::string body = R"({"content":[)";
  body.reserve(size);
  for (const auto text : texts) {
    body += body.ends_with('[') ? R"({"type":"text","text":)" : R"(,{"type":"text","text":)";
    json::append_quoted(body, text);
    body += '}';
  }
  body += failed ? R"(],"isError":true})" : "]}";
  Reply reply = result_reply(std::move(body));
  reply.has_failed = failed;
  return reply;
}

}  // namespace patchbay::mcp
