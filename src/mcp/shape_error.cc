#include <fmt/format.h>

#include "json/edit.h"
#include "json/read.h"
#include "mcp/shape.h"

namespace patchbay::mcp {
namespace {

constexpr std::int64_t kResourceNotFound = -32002;
constexpr std::int64_t kInvalidParams = -32602;
constexpr std::int64_t kUrlNeeded = -32042;
constexpr std::int64_t kCapabilityNeeded = -32021;
constexpr std::int64_t kReservedFirst = -32099;  // Codes that only the specification assigns...
constexpr std::int64_t kReservedLast = -32020;   // ...since it is stateless.

// Codes of that range that a revision defines.
bool defines(Revision revision, std::int64_t code) {
  if (code == kUrlNeeded) return revision == Revision::v2025_11_25;
  return info(revision).stateless && code >= -32022 && code <= kReservedLast;
}

// True if the code has the same meaning for a client of `to` as at the upstream. Errors about
// headers and versions concern our request, not the client's.
bool same_meaning(std::int64_t code, Revision from, Revision to) {
  if (code < kReservedFirst || code > kReservedLast) return true;
  if (defines(from, code)) {
    return defines(to, code) && (code == kUrlNeeded || code == kCapabilityNeeded);
  }
  return !info(to).stateless && !defines(to, code);
}

std::string explained(std::int64_t code, Revision from, std::string_view message) {
  if (defines(from, code)) {
    if (code == kUrlNeeded) {
      return fmt::format("the user must open a URL first, which this client does not support: {}",
                         message);
    }
    if (code == kCapabilityNeeded) {
      return fmt::format("the tool needs a capability that this client does not have: {}", message);
    }
    return fmt::format("the upstream refused the gateway's request: {}", message);
  }
  return std::string(message);
}

// The code alone, or code and data; the rest stays.
void rewrite(Reply& reply, std::int64_t code, std::string_view data) {
  json::Edit edit(reply.body);
  const auto top = edit.members([&](std::string_view key) {
    if (key == "code") edit.replace(edit.take(), std::to_string(code));
    return key == "code" || edit.keep_if(key != "data" || data.empty());
  });
  if (!data.empty()) edit.add(top, fmt::format("\"data\":{}", data));
  reply.body = edit.result();
}

}  // namespace

void shape_error(Reply& reply, std::string_view method, Revision from, Revision to,
                 std::string_view target) {
  if (!reply.is_error) return;
  const auto code = json::as_int(json::member(reply.body, "code").value_or(""));
  if (!code) return;
  const bool resource = method.starts_with("resources/");
  if (*code == kResourceNotFound && resource && info(to).stateless) {
    rewrite(reply, kInvalidParams, fmt::format("{{\"uri\":{}}}", json::quote(target)));
    return;
  }
  if (*code == kInvalidParams && resource && info(from).stateless && !info(to).stateless) {
    const auto data = json::member(reply.body, "data");
    if (data && json::string_member(*data, "uri")) rewrite(reply, kResourceNotFound, "");
    return;
  }
  // An error of the gateway itself is meant for this client.
  if (reply.why || same_meaning(*code, from, to)) return;
  const auto message = json::string_member(reply.body, "message").value_or("no message");
  std::string body = fmt::format("{{\"code\":{},\"message\":{}", info(Code::internal).rpc,
                                 json::quote(explained(*code, from, message)));
  if (const auto data = json::member(reply.body, "data")) {
    body += ",\"data\":";
    body += *data;
  }
  reply.body = body + '}';
}

}  // namespace patchbay::mcp
