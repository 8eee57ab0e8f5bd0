#include "upstreams/openapi/answer.h"

#include <fmt/format.h>

#include "core/base64.h"
#include "json/read.h"
#include "json/write.h"
#include "mcp/content.h"
#include "mcp/tool_result.h"
#include "upstreams/openapi/names.h"

namespace patchbay::upstreams {
namespace {

constexpr std::size_t kMostErrorText = 16 * 1024;  // Of a response that reports an error.

bool is_text(const OpenapiAnswer& answer, std::string_view essence) {
  // Without a media type the content decides.
  const bool textual = essence.empty() || is_json_media(essence) || is_text_media(essence);
  return textual && json::is_utf8(answer.body) && answer.body.find('\0') == std::string::npos;
}

std::string error_text(const OpenapiAnswer& answer) {
  const auto essence = media_essence(answer.media);
  std::string text = fmt::format("HTTP {}", answer.status);
  if (answer.status >= 300 && answer.status <= 399) text += " (redirects are not followed)";
  if (answer.body.empty()) return text;
  if (!is_text(answer, essence)) {
    return text + fmt::format(": {} bytes of {}", answer.body.size(),
                              essence.empty() ? "something" : essence);
  }
  return text + ": " + json::shortened(answer.body, kMostErrorText);
}

// The members that hold the bytes of an answer in a resource.
std::string contents(const OpenapiAnswer& answer) {
  const auto essence = media_essence(answer.media);
  std::string out;
  json::Object resource(out);
  resource.raw("uri", json::quote(answer.uri));
  if (!essence.empty()) resource.raw("mimeType", json::quote(essence));
  if (is_text(answer, essence)) {
    resource.raw("text", json::quote(answer.body));
  } else {
    resource.raw("blob", json::quote(base64_encode(answer.body)));
  }
  resource.end();
  return out;
}

std::string block_of_bytes(const OpenapiAnswer& answer, std::string_view essence) {
  const bool image = essence.starts_with("image/");
  if (!image && !essence.starts_with("audio/")) {
    return fmt::format(R"({{"type":"resource","resource":{}}})", contents(answer));
  }
  return fmt::format(R"({{"type":"{}","data":"{}","mimeType":{}}})", image ? "image" : "audio",
                     base64_encode(answer.body), json::quote(essence));
}

// What is known of a JSON response; empty if it is none.
std::string structured(const OpenapiAnswer& answer, std::string_view essence) {
  if (!essence.empty() && !is_json_media(essence)) return {};
  std::string_view body = answer.body;
  if (body.starts_with("\xEF\xBB\xBF")) body.remove_prefix(3);
  const auto first = std::min(body.find_first_not_of(" \t\r\n"), body.size());
  body.remove_prefix(first);
  body = body.substr(0, body.find_last_not_of(" \t\r\n") + 1);
  // Without a media type only an object or an array counts as JSON.
  if (essence.empty() && !body.starts_with('{') && !body.starts_with('[')) return {};
  return json::check(body) ? json::on_one_line(body) : std::string();
}

}  // namespace

mcp::Reply tool_reply(const OpenapiAnswer& answer) {
  if (!answer.good()) return mcp::tool_result({error_text(answer)}, true);
  if (answer.body.empty()) {
    return mcp::tool_result({fmt::format("HTTP {}, without content", answer.status)}, false);
  }
  const auto essence = media_essence(answer.media);
  const bool text = is_text(answer, essence);
  const std::string block = text ? mcp::text_block(answer.body) : block_of_bytes(answer, essence);
  const std::string value = text ? structured(answer, essence) : std::string();
  if (!value.empty()) {
    auto whole = fmt::format(R"({{"content":[{}],"structuredContent":{}}})", block, value);
    // JSON that is as deep as may be is too deep within a result.
    if (json::check(fmt::format("[[{}]]", whole))) return mcp::scanned_reply(std::move(whole));
  }
  return mcp::result_reply(fmt::format(R"({{"content":[{}]}})", block));
}

Result<mcp::Reply> read_reply(const OpenapiAnswer& answer) {
  if (!answer.good()) {
    const bool absent = answer.status == 404 || answer.status == 410;
    return Error{absent ? Code::resource_not_found : Code::upstream_failed, error_text(answer)};
  }
  return mcp::result_reply(fmt::format(R"({{"contents":[{}]}})", contents(answer)));
}

}  // namespace patchbay::upstreams
