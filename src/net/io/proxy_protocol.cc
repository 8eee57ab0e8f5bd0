#include "net/io/proxy_protocol.h"

#include <arpa/inet.h>
#include <fmt/format.h>
#include <netinet/in.h>

#include <algorithm>
#include <charconv>
#include <cstring>
#include <string>

namespace patchbay::net {
namespace {

constexpr std::string_view kV1 = "PROXY ";
constexpr std::string_view kV2("\r\n\r\n\0\r\nQUIT\n", 12);
constexpr std::size_t kV1Most = 107;  // With the line break; the specification's own limit.
constexpr std::size_t kV2Fixed = 16;  // The signature, the command, the family and the length.
constexpr std::size_t kFirst = 12;    // Shorter than any header of either version.
constexpr std::size_t kV1Least = 15;  // "PROXY UNKNOWN" and the line break.
constexpr std::size_t kV4Size = 12;   // Two addresses and two ports.
constexpr std::size_t kV6Size = 36;

Error malformed(std::string_view what) {
  return {Code::invalid_request, fmt::format("PROXY protocol: {}", what)};
}

unsigned byte_at(std::string_view bytes, std::size_t at) {
  return static_cast<unsigned char>(bytes[at]);
}

std::uint16_t number_at(std::string_view bytes, std::size_t at) {
  return static_cast<std::uint16_t>(byte_at(bytes, at) << 8 | byte_at(bytes, at + 1));
}

// Takes the next field, up to a single space or the end.
std::string_view take(std::string_view& line) {
  const auto space = std::min(line.find(' '), line.size());
  const auto field = line.substr(0, space);
  line.remove_prefix(std::min(space + 1, line.size()));
  return field;
}

bool read_port(std::string_view text, std::uint16_t& port) {
  const auto [end, fault] = std::from_chars(text.data(), text.data() + text.size(), port);
  const bool padded = text.size() > 1 && text.front() == '0';
  return fault == std::errc() && end == text.data() + text.size() && !padded;
}

bool read_ip(int family, std::string_view text, sockaddr_storage& into) {
  if (text.contains('\0')) return false;  // It would end the text early.
  const std::string copy(text);
  into = {};
  into.ss_family = static_cast<sa_family_t>(family);
  void* const target = family == AF_INET
                           ? static_cast<void*>(&reinterpret_cast<sockaddr_in&>(into).sin_addr)
                           : static_cast<void*>(&reinterpret_cast<sockaddr_in6&>(into).sin6_addr);
  return ::inet_pton(family, copy.c_str(), target) == 1;
}

Result<std::optional<PeerAddress>> parse_v1(std::string_view line) {
  line.remove_prefix(kV1.size());
  line.remove_suffix(2);
  const auto protocol = take(line);
  if (protocol == "UNKNOWN") return std::optional<PeerAddress>();
  if (protocol != "TCP4" && protocol != "TCP6") return malformed("only TCP4 and TCP6 are known");
  const int family = protocol == "TCP4" ? AF_INET : AF_INET6;
  sockaddr_storage source;
  sockaddr_storage target;
  const bool addresses = read_ip(family, take(line), source) && read_ip(family, take(line), target);
  std::uint16_t source_port = 0;
  std::uint16_t target_port = 0;
  const bool ports = read_port(take(line), source_port) && read_port(line, target_port);
  if (!addresses || !ports) return malformed("the line is malformed");
  auto peer = PeerAddress::of(source);
  peer.port = source_port;
  return std::optional(peer);
}

Result<std::optional<PeerAddress>> parse_v2(std::string_view header) {
  const unsigned command = byte_at(header, 12);
  const unsigned family = byte_at(header, 13);
  const auto block = header.substr(kV2Fixed);
  if (command == 0x20) return std::optional<PeerAddress>();  // LOCAL.
  if (command != 0x21) return malformed("the version or the command is unknown");
  if (family == 0x00) return std::optional<PeerAddress>();  // UNSPEC.
  if (family != 0x11 && family != 0x21) return malformed("only TCP over IPv4 and IPv6 is known");
  const bool v4 = family == 0x11;
  if (block.size() < (v4 ? kV4Size : kV6Size)) return malformed("the addresses are cut off");
  sockaddr_storage source{};
  if (v4) {
    auto& address = reinterpret_cast<sockaddr_in&>(source);
    address.sin_family = AF_INET;
    std::memcpy(&address.sin_addr, block.data(), sizeof address.sin_addr);
  } else {
    auto& address = reinterpret_cast<sockaddr_in6&>(source);
    address.sin6_family = AF_INET6;
    std::memcpy(&address.sin6_addr, block.data(), sizeof address.sin6_addr);
  }
  auto peer = PeerAddress::of(source);
  peer.port = number_at(block, v4 ? 8 : 32);
  return std::optional(peer);
}

}  // namespace

Result<std::size_t> missing_of_proxy_header(std::string_view bytes, std::size_t most) {
  const auto begin = bytes.substr(0, kFirst);
  if (!kV2.starts_with(begin) && !begin.starts_with(kV1.substr(0, begin.size()))) {
    return malformed("the connection does not begin with its header");
  }
  if (bytes.size() < kFirst) return kFirst - bytes.size();
  if (begin != kV2) {
    if (bytes.ends_with('\n')) {
      if (bytes.size() < kV1Least || !bytes.ends_with("\r\n")) return malformed("no line");
      return std::size_t{0};
    }
    if (bytes.size() >= kV1Most) return malformed("the line has no end");
    return bytes.size() < kV1Least ? kV1Least - bytes.size() : std::size_t{1};
  }
  if (bytes.size() < kV2Fixed) return kV2Fixed - bytes.size();
  const std::size_t size = kV2Fixed + number_at(bytes, 14);
  if (size > most) {
    return malformed(fmt::format("the header has {} bytes (proxies.max_proxy_header_size)", size));
  }
  return size - std::min(size, bytes.size());
}

Result<std::optional<PeerAddress>> parse_proxy_header(std::string_view header) {
  return header.starts_with(kV1) ? parse_v1(header) : parse_v2(header);
}

}  // namespace patchbay::net
