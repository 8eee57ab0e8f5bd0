#include "frontends/rest/content.h"

#include <fmt/format.h>
#include <openssl/evp.h>

#include <algorithm>
#include <array>
#include <vector>

#include "core/base64.h"
#include "core/http_token.h"
#include "json/read.h"
#include "json/write.h"
#include "net/http/syntax/accept.h"
#include "net/http/syntax/conditions.h"

namespace patchbay::frontends {
namespace {

constexpr std::string_view kBytes = "application/octet-stream";
constexpr std::string_view kText = "text/plain; charset=utf-8";

// The content of a resource is foreign: in a browser it must not act with the gateway's origin.
constexpr std::string_view kHarmless =
    "X-Content-Type-Options: nosniff\r\n"
    "Content-Security-Policy: sandbox; default-src 'none'\r\n"
    "Vary: Accept\r\n";

struct Part {
  std::string raw;  // The whole form.
  std::string type;
  bool is_text = true;
  bool empty = false;  // The resource exists, but has no content.
  std::string content;
};

// A type that is valid in a header as it is.
bool is_media_type(std::string_view text) {
  const auto type = text.substr(0, text.find(';'));
  const auto slash = type.find('/');
  if (slash == std::string_view::npos) return false;
  auto subtype = type.substr(slash + 1);
  while (subtype.ends_with(' ')) subtype.remove_suffix(1);
  return is_token(type.substr(0, slash)) && is_token(subtype) &&
         std::ranges::all_of(text, [](char c) { return c >= ' ' && c <= '~'; });
}

std::string type_of(std::string_view given, bool is_text) {
  if (!is_media_type(given)) return std::string(is_text ? kText : kBytes);
  const bool needs_charset = is_text && given.starts_with("text/") && !given.contains("charset");
  return needs_charset ? fmt::format("{}; charset=utf-8", given) : std::string(given);
}

Result<Part> part_of(std::string_view raw) {
  Part part;
  const auto text = json::member(raw, "text");
  const auto blob = json::member(raw, "blob");
  part.is_text = text || !blob;
  const auto mime = json::string_member(raw, "mimeType").value_or("");
  part.type = type_of(mime, part.is_text);
  const auto content = part.is_text ? text.value_or("null") : *blob;
  part.empty = content == "null";
  {
    json::Object whole(part.raw);
    whole.raw("type", part.is_text ? "\"text\"" : "\"blob\"");
    whole.raw("uri", json::member(raw, "uri").value_or("\"\""));
    whole.raw("mimeType", json::quote(mime.empty() ? part.type : mime));
    whole.raw(part.is_text ? "text" : "blob", content);
  }
  if (part.empty) return part;
  auto decoded = json::as_string(content);
  if (decoded && !part.is_text) decoded = base64_decode(*decoded);
  if (!decoded) return Error{Code::upstream_failed, "the content of the resource is malformed"};
  part.content = *std::move(decoded);
  return part;
}

Result<std::vector<Part>> content_parts(std::string_view result) {
  std::vector<Part> parts;
  Result<void> good = ok();
  json::each_element(json::member(result, "contents").value_or("[]"), [&](std::string_view raw) {
    auto part = part_of(raw);
    if (part) {
      parts.push_back(*std::move(part));
    } else {
      good = part.error();
    }
  });
  if (!good) return good.error();
  return parts;
}

// How long the result stays fresh, and for which clients, as the server states. A stale copy is
// revalidated, and the entity tag then avoids sending it again.
std::string cache_field(std::string_view result, bool same_for_all) {
  const auto ttl = json::as_int(json::member(result, "ttlMs").value_or("0")).value_or(0);
  const bool open = same_for_all && json::string_member(result, "cacheScope") == "public";
  const std::string fresh = ttl >= 1000 ? fmt::format("max-age={}", ttl / 1000) : "no-cache";
  return fmt::format("Cache-Control: {}, {}\r\n", open ? "public" : "private", fresh);
}

// The representation of the answer: of several parts only the whole form is complete. False if the
// client accepts no available one.
bool choose(const net::HttpRequest& request, std::vector<Part> parts, RestAnswer& answer) {
  Part& first = parts.front();
  const auto own = std::string_view(first.type).substr(0, first.type.find(';'));
  const auto accept = net::accept_of(request);
  const auto offered = parts.size() == 1 ? own : net::kJson;
  if (net::preferred_type(accept, {offered, net::kJson}).empty()) return false;
  // A client that names JSON gets the whole form, even of a resource that is JSON.
  const auto other = own == net::kJson ? std::string_view() : own;
  const bool whole = net::preferred_type(accept, {other, net::kJson}) == net::kJson;
  if (parts.size() == 1 && !whole) {
    if (first.empty) answer.status = 204;
    answer.type = first.type;
    answer.body = std::move(first.content);
    return true;
  }
  for (const auto& part : parts) answer.body += (answer.body.empty() ? "" : ",") + part.raw;
  if (parts.size() > 1) answer.body = fmt::format("[{}]", answer.body);
  return true;
}

std::string range_field(const net::ByteSpan& span, std::size_t size) {
  return fmt::format("Content-Range: bytes {}-{}/{}\r\n", span.first, span.last, size);
}

// Several parts as one body. The boundary contains the digest of the whole, so it occurs nowhere in
// the content.
void put_together(const std::vector<net::ByteSpan>& spans, std::string_view etag,
                  RestAnswer& answer) {
  const auto boundary = etag.substr(1, etag.size() - 2);
  std::string body;
  for (const auto& span : spans) {
    body += fmt::format("--{}\r\nContent-Type: {}\r\n{}\r\n", boundary, answer.type,
                        range_field(span, answer.body.size()));
    body += std::string_view(answer.body).substr(span.first, span.size());
    body += "\r\n";
  }
  answer.body = body + fmt::format("--{}--\r\n", boundary);
  answer.type = fmt::format("multipart/byteranges; boundary={}", boundary);
}

void take_ranges(const net::HttpRequest& request, const std::string& etag, RestAnswer& answer) {
  const std::size_t size = answer.body.size();
  const auto requested = net::requested_ranges(request.fields, etag, size);
  using Kind = net::RequestedRanges::Kind;
  if (requested.kind == Kind::none) {
    answer = error_answer(Dialect::plain, 416,
                          {Code::invalid_request, "the resource has no such range"});
    answer.fields = fmt::format("Content-Range: bytes */{}\r\n", size);
  }
  if (requested.kind != Kind::parts) return;
  answer.status = 206;
  if (requested.parts.size() > 1) return put_together(requested.parts, etag, answer);
  const net::ByteSpan& span = requested.parts.front();
  answer.fields += range_field(span, size);
  answer.body = answer.body.substr(span.first, span.size());
}

}  // namespace

std::string etag_of(std::string_view bytes) {
  std::array<unsigned char, EVP_MAX_MD_SIZE> digest{};
  EVP_Digest(bytes.data(), bytes.size(), digest.data(), nullptr, EVP_sha256(), nullptr);
  std::string etag = "\"";
  for (std::size_t i = 0; i < 16; ++i)
    fmt::format_to(std::back_inserter(etag), "{:02x}", digest[i]);
  return etag + '"';
}

RestAnswer content_answer(const net::HttpRequest& request, const mcp::Reply& reply,
                          bool same_for_all) {
  auto parts = content_parts(reply.body);
  if (!parts) return error_answer(Dialect::plain, parts.error());
  if (parts->empty()) {
    return error_answer(Dialect::plain, {Code::upstream_failed, "the resource has no content"});
  }
  RestAnswer answer;
  if (!choose(request, *std::move(parts), answer)) {
    return error_answer(Dialect::plain, 406,
                        {Code::invalid_request,
                         "Accept allows neither the type of the resource nor application/json"});
  }
  const std::string etag = etag_of(answer.body);
  answer.fields =
      fmt::format("ETag: {}\r\n{}{}", etag, cache_field(reply.body, same_for_all), kHarmless);
  if (answer.status == 204) return answer;
  answer.fields += "Accept-Ranges: bytes\r\n";
  if (net::wants_another(request.fields, etag)) {
    answer = error_answer(Dialect::plain, 412,
                          {Code::invalid_request, "the resource is not what If-Match names"});
  } else if (net::has_already(request.fields, etag)) {
    answer.status = 304;
    answer.body.clear();
  } else if (request.method == "GET") {
    take_ranges(request, etag, answer);
  }
  return answer;
}

}  // namespace patchbay::frontends
