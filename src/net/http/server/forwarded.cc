#include "net/http/server/forwarded.h"

#include <algorithm>
#include <charconv>
#include <ranges>
#include <string>
#include <vector>

#include "core/http_token.h"
#include "core/text.h"
#include "net/io/socket.h"

namespace patchbay::net {
namespace {

// The address of one hop as text; none if the element is malformed or hides it.
using Hops = std::vector<std::optional<std::string>>;

void add_plain(std::string_view value, Hops& hops) {
  for (const auto part : std::views::split(value, ',')) {
    hops.emplace_back(trimmed(std::string_view(part)));
  }
}

// The end of an element or parameter: the next `,` or `;` outside of quotes.
std::size_t end_of_pair(std::string_view text) {
  bool quoted = false;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (quoted && text[i] == '\\') {
      ++i;
    } else if (text[i] == '"') {
      quoted = !quoted;
    } else if (!quoted && (text[i] == ',' || text[i] == ';')) {
      return i;
    }
  }
  return text.size();
}

// The value without its quotes; none if they are malformed.
std::optional<std::string> unquoted(std::string_view text) {
  if (!text.starts_with('"')) return std::string(text);
  if (text.size() < 2 || !text.ends_with('"')) return std::nullopt;
  std::string value;
  for (std::size_t i = 1; i + 1 < text.size(); ++i) {
    if (text[i] == '\\' && i + 2 < text.size()) ++i;
    value += text[i];
  }
  return value;
}

// One element per proxy: for=192.0.2.60;proto=http;by=203.0.113.43
void add_forwarded(std::string_view value, Hops& hops) {
  std::optional<std::string> hop;
  for (;;) {
    const auto end = end_of_pair(value);
    const auto pair = trimmed(value.substr(0, end));
    const auto equals = pair.find('=');
    if (equals != std::string_view::npos && same_token(pair.substr(0, equals), "for")) {
      hop = unquoted(pair.substr(equals + 1));
    }
    const bool last = end == value.size();
    if (last || value[end] == ',') hops.push_back(std::exchange(hop, std::nullopt));
    if (last) return;
    value.remove_prefix(end + 1);
  }
}

Hops hops_of(const HttpFields& fields, ForwardedHeader header) {
  Hops hops;
  const bool plain = header == ForwardedHeader::x_forwarded_for;
  const std::string_view name = plain ? "X-Forwarded-For" : "Forwarded";
  for (const auto& field : fields) {
    if (same_token(field.name, name)) (plain ? add_plain : add_forwarded)(field.value, hops);
  }
  return hops;
}

bool is_port(std::string_view text) {
  std::uint16_t port = 0;
  const auto [end, fault] = std::from_chars(text.data(), text.data() + text.size(), port);
  return fault == std::errc() && end == text.data() + text.size();
}

}  // namespace

std::optional<PeerAddress> forwarded_address(std::string_view text) {
  constexpr std::size_t kMost = 64;  // Longer than any address with a port.
  if (text.size() > kMost || text.contains('\0')) return std::nullopt;
  std::string_view ip = text;
  std::string_view rest;
  if (text.starts_with('[')) {
    const auto end = text.find(']');
    if (end == std::string_view::npos) return std::nullopt;
    ip = text.substr(1, end - 1);
    rest = text.substr(end + 1);
    if (!ip.contains(':')) return std::nullopt;
  } else if (std::ranges::count(text, ':') == 1) {
    ip = text.substr(0, text.find(':'));
    rest = text.substr(ip.size());
  }
  if (!rest.empty() && (rest.front() != ':' || !is_port(rest.substr(1)))) return std::nullopt;
  const auto found = numeric_addresses(std::string(ip), 0);
  if (found.size() != 1) return std::nullopt;  // "localhost" has two.
  return PeerAddress::of(found.front().storage);
}

PeerAddress forwarded_client(const HttpFields& fields, const PeerAddress& from,
                             const TrustedProxies& proxies) {
  if (proxies.header == ForwardedHeader::none || !proxies.holds(from)) return from;
  PeerAddress client = from;
  for (const auto& hop : std::views::reverse(hops_of(fields, proxies.header))) {
    const auto address = hop ? forwarded_address(*hop) : std::nullopt;
    if (!address) return from;
    client = *address;
    if (!proxies.holds(client)) break;
  }
  return client;
}

}  // namespace patchbay::net
