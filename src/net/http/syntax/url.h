// A Url is the address of an HTTP server and the path to request there. Values only; pure.
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

  // The value of the Host header: without the port if it is the default of the scheme.
  std::string authority() const;

  // Scheme, host and port, written out: two URLs lead to the same server if these are equal.
  std::string origin() const;

  std::string text() const;
};

// `http://host[:port][/path][?query]`, or https. Other parts of a URL are refused with the reason.
Result<Url> parse_url(std::string_view text);

// Another scheme that is parsed in the same manner, and its defaults.
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

// Resolves `reference` against `base`: a whole URL, a path from the root or from the folder of
// `base`, or another query. The result may have another origin.
Result<Url> resolve_reference(const Url& base, std::string_view reference);

}  // namespace patchbay::net
