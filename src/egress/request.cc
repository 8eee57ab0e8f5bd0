#include "egress/request.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "core/http_token.h"
#include "net/http/server/exchange.h"
#include "net/http/syntax/parse.h"
#include "net/http/syntax/url.h"

namespace patchbay::upstreams {
namespace {

constexpr std::string_view kHeadEnd = "\r\n\r\n";

// Hop-by-hop fields between the sandbox and the proxy; Host is rewritten.
constexpr std::array<std::string_view, 7> kNotPassedOn{
    "Host", "Connection", "Proxy-Connection", "Proxy-Authorization", "Keep-Alive", "TE", "Upgrade"};

Error bad(int status, std::string message) {
  return {Code::invalid_request, std::move(message), std::to_string(status)};
}

Result<EgressRequest> parse_tunnel(std::string_view target) {
  auto destination = sandbox::parse_destination(target);
  if (!destination) {
    return bad(400, fmt::format("CONNECT takes host:port: {}", destination.error().message));
  }
  return EgressRequest{*std::move(destination), true, ""};
}

// The request as the server receives it. It is the only one on its connection: the next may be for
// another server.
std::string head_for(const net::Url& url, const net::HttpRequest& request) {
  auto head = fmt::format("{} {} HTTP/1.{}\r\nHost: {}\r\nConnection: close\r\n", request.method,
                          request.target, request.http10 ? 0 : 1, url.authority());
  for (const auto& [name, value] : request.fields) {
    const bool own = std::ranges::any_of(
        kNotPassedOn, [name](std::string_view one) { return same_token(one, name); });
    if (!own) head += fmt::format("{}: {}\r\n", name, value);
  }
  return head + "\r\n";
}

// `line` is the request line, `target` its second field.
Result<EgressRequest> parse_forwarded(std::string_view head, std::string_view line,
                                      std::string_view target) {
  auto url = net::parse_url(target);
  if (!url) return bad(400, url.error().message);
  if (url->tls) return bad(400, "https goes through CONNECT");
  const auto before = line.substr(0, line.find(' ') + 1);
  const auto after = line.substr(before.size() + target.size());
  // Parsed with the target in origin form, as strictly as any request.
  const auto plain = fmt::format("{}{}{}{}", before, url->path, after, head.substr(line.size()));
  auto destination = sandbox::parse_destination(sandbox::Destination{url->host, url->port}.text());
  if (!destination) return bad(400, destination.error().message);
  net::HttpRequest request;
  auto size = net::parse_request(plain, {}, request);
  if (!size) return size.error();
  if (*size == 0) return bad(400, "the head of the request is not complete");
  return EgressRequest{*std::move(destination), false, head_for(*url, request)};
}

}  // namespace

std::size_t egress_head_size(std::string_view bytes) {
  const auto end = bytes.find(kHeadEnd);
  return end == std::string_view::npos ? 0 : end + kHeadEnd.size();
}

Result<EgressRequest> parse_egress_request(std::string_view head) {
  const auto line = head.substr(0, head.find("\r\n"));
  const auto first = line.find(' ');
  const auto last = line.rfind(' ');
  if (first == std::string_view::npos || first == last) {
    return bad(400, "the request line is malformed");
  }
  const auto method = line.substr(0, first);
  const auto target = line.substr(first + 1, last - first - 1);
  if (!line.substr(last + 1).starts_with("HTTP/1.")) return bad(505, "only HTTP/1 is supported");
  if (method == "CONNECT") return parse_tunnel(target);
  if (target.find("://") != std::string_view::npos) return parse_forwarded(head, line, target);
  return bad(405, "this is a proxy: ask it to CONNECT host:port, or for http://host/…");
}

std::string egress_answer(int status, std::string_view text) {
  return fmt::format(
      "HTTP/1.1 {} {}\r\nContent-Type: text/plain; charset=utf-8\r\nContent-Length: {}\r\n"
      "Connection: close\r\n\r\n{}\n",
      status, net::reason_phrase(status), text.size() + 1, text);
}

}  // namespace patchbay::upstreams
