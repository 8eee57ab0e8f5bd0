// A Url says where an HTTP server is and what to ask it for. Values only; pure.
#pragma once

#include <array>
#include <span>
#include <string>
#include <string_view>

#include "core/result.h"

namespace patchbay::net {

struct Url {
  bool tls = false;
  std::string host;  // In lower case; an IPv6 address without its brackets.
  int port = 80;
  std::string path = "/";  // Path and query, as they are sent.

  // What the Host header says: the port is left out where it is the scheme's own.
  std::string authority() const;

  // Scheme, host and port, written out: two URLs lead to the same server if these are equal.
  std::string origin() const;

  std::string text() const;
};

// `http://host[:port][/path][?query]`, or https. What else a URL can hold is refused with the
// reason.
Result<Url> parse_url(std::string_view text);

// A scheme of URLs that are read in the same manner, and what is meant where they do not say.
struct UrlScheme {
  std::string_view name;
  bool tls;
  int port;
  std::string_view path = "/";
};
Result<Url> parse_url(std::string_view text, std::span<const UrlScheme> schemes);

// Of WebSockets. The port and the path are those of the wire protocol.
inline constexpr std::array kWsSchemes{UrlScheme{"ws", false, 8443, "/mcp"},
                                       UrlScheme{"wss", true, 8443, "/mcp"}};

// What `reference` means to a reader of `base`: a whole URL, a path from the root or from the
// folder of `base`, or another query. It may lead to another origin.
Result<Url> resolve_reference(const Url& base, std::string_view reference);

}  // namespace patchbay::net
