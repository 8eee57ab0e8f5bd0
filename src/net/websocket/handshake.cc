#include "net/websocket/handshake.h"

#include <fmt/format.h>
#include <openssl/evp.h>
#include <sys/random.h>

#include <array>
#include <cstdlib>

#include "core/base64.h"
#include "core/http_token.h"

namespace patchbay::net {
namespace {

constexpr std::string_view kMagic = "258EAFA5-E914-47DA-95CA-C5AB0DC85B11";
constexpr std::string_view kWebSocketVersion = "13";
constexpr std::size_t kKeySize = 16;

WsAnswer refused(int status, std::string message) { return {status, "", std::move(message)}; }

// The value of a field that must not be repeated; empty if it is missing or repeated.
std::string_view only(const HttpFields& fields, std::string_view name) {
  return fields.count(name) == 1 ? *fields.find(name) : std::string_view();
}

// The list in all fields of that name has the token.
bool lists(const HttpFields& fields, std::string_view name, std::string_view token) {
  for (const auto& field : fields) {
    if (same_token(field.name, name) && has_token(field.value, token)) return true;
  }
  return false;
}

Code code_of(int status) {
  if (status == 401) return Code::unauthenticated;
  if (status == 403) return Code::forbidden;
  return status == 429 || status == 503 ? Code::unavailable : Code::upstream_failed;
}

}  // namespace

bool wants_websocket(const HttpRequest& request) {
  return lists(request.fields, "Upgrade", "websocket");
}

WsAnswer answer_upgrade(const HttpRequest& request) {
  const HttpFields& fields = request.fields;
  if (request.method != "GET" || request.http10) {
    return refused(400, "a WebSocket is requested with GET and HTTP/1.1");
  }
  if (!lists(fields, "Connection", "upgrade")) {
    return refused(400, "Upgrade without 'Connection: Upgrade'");
  }
  if (only(fields, "Sec-WebSocket-Version") != kWebSocketVersion) {
    return {426,
            fmt::format("Upgrade: websocket\r\nSec-WebSocket-Version: {}\r\n", kWebSocketVersion),
            "the only supported version of WebSocket is 13"};
  }
  const auto key = only(fields, "Sec-WebSocket-Key");
  const auto raw = base64_decode(key);
  if (!raw || raw->size() != kKeySize) {
    return refused(400, "Sec-WebSocket-Key must be given once: 16 bytes in base64");
  }
  if (request.framing.chunked || request.framing.length.value_or(0) > 0) {
    return refused(400, "a request for a WebSocket has no body");
  }
  WsAnswer answer;
  answer.mcp = lists(fields, "Sec-WebSocket-Protocol", kWsProtocol);
  answer.fields = fmt::format(
      "Upgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Accept: {}\r\n", ws_accept(key));
  if (answer.mcp) answer.fields += fmt::format("Sec-WebSocket-Protocol: {}\r\n", kWsProtocol);
  return answer;
}

std::string ws_accept(std::string_view key) {
  const std::string text = fmt::format("{}{}", key, kMagic);
  std::array<unsigned char, EVP_MAX_MD_SIZE> digest{};
  unsigned size = 0;
  // Fails only without memory, or without SHA-1, which no handshake can do without.
  if (EVP_Digest(text.data(), text.size(), digest.data(), &size, EVP_sha1(), nullptr) != 1) {
    std::abort();
  }
  return base64_encode({reinterpret_cast<const char*>(digest.data()), size});
}

std::string ws_new_key() {
  std::array<char, kKeySize> raw{};
  if (::getrandom(raw.data(), raw.size(), 0) != static_cast<ssize_t>(raw.size())) std::abort();
  return base64_encode({raw.data(), raw.size()});
}

std::string ws_request(std::string_view authority, std::string_view path, std::string_view key,
                       bool mcp, std::string_view fields) {
  return fmt::format(
      "GET {} HTTP/1.1\r\nHost: {}\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
      "Sec-WebSocket-Version: {}\r\nSec-WebSocket-Key: {}\r\n{}{}\r\n",
      path, authority, kWebSocketVersion, key,
      mcp ? fmt::format("Sec-WebSocket-Protocol: {}\r\n", kWsProtocol) : "", fields);
}

Result<bool> check_ws_response(const HttpResponseHead& head, std::string_view key, bool mcp) {
  if (head.status != 101) {
    const auto location = head.fields.find("Location");
    return Error{code_of(head.status),
                 fmt::format("the server does not open a WebSocket: it answers {}{}", head.status,
                             location ? fmt::format(", see {}", *location) : "")};
  }
  const auto wrong = [](std::string_view why) {
    return Error{Code::upstream_failed,
                 fmt::format("the server's answer to the WebSocket handshake is wrong: {}", why)};
  };
  if (!lists(head.fields, "Upgrade", "websocket") || !lists(head.fields, "Connection", "upgrade")) {
    return wrong("it switches to something else");
  }
  if (only(head.fields, "Sec-WebSocket-Accept") != ws_accept(key)) {
    return wrong("Sec-WebSocket-Accept does not match the key");
  }
  if (head.fields.find("Sec-WebSocket-Extensions"))
    return wrong("it uses an extension that was not offered");
  const auto protocol = head.fields.find("Sec-WebSocket-Protocol");
  if (protocol && (!mcp || *protocol != kWsProtocol))
    return wrong("it uses a subprotocol that was not requested");
  return protocol.has_value();
}

}  // namespace patchbay::net
