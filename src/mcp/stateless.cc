#include "mcp/stateless.h"

#include <fmt/format.h>

#include <algorithm>

#include "core/base64.h"
#include "json/read.h"

namespace patchbay::mcp {
namespace {

constexpr std::string_view kEncodedBegin = "=?base64?";
constexpr std::string_view kEncodedEnd = "?=";

Error unsupported(std::string_view asked) {
  std::string data = "{\"supported\":[";
  for (const auto& revision : kRevisions) {
    if (!revision.stateless) continue;
    if (data.back() != '[') data += ',';
    json::append_quoted(data, revision.name);
  }
  data += "],\"requested\":";
  json::append_quoted(data, asked);
  data += '}';
  return {Code::unsupported_version, fmt::format("revision '{}' is not spoken here", asked), data};
}

Error mismatch(std::string message) { return {Code::header_mismatch, std::move(message)}; }

// Text that a header can carry unencoded: visible ASCII, with blanks only inside.
bool is_plain(std::string_view value) {
  if (value.starts_with(' ') || value.ends_with(' ')) return false;
  return std::ranges::all_of(value, [](char c) { return c >= ' ' && c <= '~'; });
}

bool is_encoded(std::string_view value) {
  return value.size() >= kEncodedBegin.size() + kEncodedEnd.size() &&
         value.starts_with(kEncodedBegin) && value.ends_with(kEncodedEnd);
}

}  // namespace

std::string encode_header(std::string_view value) {
  if (is_plain(value) && !is_encoded(value)) return std::string(value);
  return fmt::format("{}{}{}", kEncodedBegin, base64_encode(value), kEncodedEnd);
}

std::optional<std::string> decode_header(std::string_view value) {
  if (!is_encoded(value)) return std::string(value);
  value.remove_prefix(kEncodedBegin.size());
  value.remove_suffix(kEncodedEnd.size());
  return base64_decode(value);
}

Result<std::optional<Revision>> claimed_revision(const Message& message) {
  const auto* const claim = message.meta_member(kMetaVersion);
  if (!claim) return std::optional<Revision>();
  const auto version = json::as_string(claim->raw);
  if (!version) {
    return Error{Code::invalid_params, fmt::format("_meta '{}' must be a string", kMetaVersion)};
  }
  const auto revision = find_revision(*version);
  if (!revision) return unsupported(*version);
  return revision;
}

Result<void> check_envelope(const Message& message) {
  const auto* const capabilities = message.meta_member(kMetaCapabilities);
  if (!message.meta_member(kMetaVersion) || !capabilities) {
    return Error{Code::invalid_params, fmt::format("params._meta must have '{}' and '{}'",
                                                   kMetaVersion, kMetaCapabilities)};
  }
  if (json::type_of(capabilities->raw) != json::Type::object) {
    return Error{Code::invalid_params,
                 fmt::format("_meta '{}' must be an object", kMetaCapabilities)};
  }
  return ok();
}

Result<void> check_version_header(const Message& message, std::optional<std::string_view> header) {
  const auto* const claim = message.meta_member(kMetaVersion);
  if (!claim || !header || json::as_string(claim->raw) == *header) return ok();
  return mismatch("the MCP-Protocol-Version header differs from the body");
}

Result<void> check_headers(const Message& message, const Method* method,
                           const MirrorHeaders& headers) {
  if (!headers.version) return mismatch("the MCP-Protocol-Version header is missing");
  auto same = check_version_header(message, headers.version);
  if (!same) return same;
  if (!headers.method) return mismatch("the Mcp-Method header is missing");
  if (*headers.method != message.method) {
    return mismatch("the Mcp-Method header differs from the body");
  }
  if (!method || method->target.empty()) return ok();
  const auto* const target = message.param(method->target);
  const auto name = target ? json::as_string(target->raw) : std::nullopt;
  if (!name) return ok();  // The handler of the method reports the fault.
  if (!headers.name) return mismatch("the Mcp-Name header is missing");
  if (decode_header(*headers.name) != name) {
    return mismatch("the Mcp-Name header differs from the body");
  }
  return ok();
}

}  // namespace patchbay::mcp
