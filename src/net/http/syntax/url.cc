#include "net/http/syntax/url.h"

#include <arpa/inet.h>
#include <fmt/format.h>

#include <algorithm>
#include <charconv>

#include "core/http_token.h"
#include "net/http/syntax/parse.h"

namespace patchbay::net {
namespace {

constexpr std::string_view kPlain = "http://";
constexpr std::string_view kSecure = "https://";
constexpr std::array kHttpSchemes{UrlScheme{"http", false, 80}, UrlScheme{"https", true, 443}};

Error bad(std::string_view text, std::string_view why) {
  return {Code::invalid_params, fmt::format("'{}' is not a URL to use: {}", text, why)};
}

int default_port(bool tls) { return tls ? 443 : 80; }

bool starts_with_scheme(std::string_view text, std::string_view scheme) {
  return same_token(text.substr(0, scheme.size()), scheme) &&
         text.substr(scheme.size()).starts_with("://");
}

std::string list_of(std::span<const UrlScheme> schemes) {
  std::string list;
  for (const auto& scheme : schemes) {
    list += fmt::format("{}{}://", list.empty() ? "" : " or ", scheme.name);
  }
  return list;
}

// True if `text` begins with "name:", as only an absolute URL does.
bool has_scheme(std::string_view text) {
  const auto end = text.find_first_of(":/?#");
  return end != std::string_view::npos && end > 0 && text[end] == ':';
}

// Why `text` cannot be part of a URL; empty if it can. The reason must not repeat the text, which
// may be secret.
std::string_view unfit(std::string_view text) {
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if (byte < 0x20 || byte == 0x7F) return "it has a control character";
    if (byte > 0x7F) return "it has a byte that is not ASCII, which must be percent-encoded";
    if (c == ' ') return "it has a space, which is written as %20";
    if (c == '#') return "it has a fragment, which is not sent to a server";
  }
  return {};
}

bool is_name(std::string_view host) {
  return !host.empty() && host.front() != '.' && std::ranges::all_of(host, [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '-' || c == '.' || c == '_';
  });
}

bool is_v6(const std::string& host) {
  in6_addr address{};
  return ::inet_pton(AF_INET6, host.c_str(), &address) == 1;
}

// Parses the host, and the port if there is one, into `url`. Returns the reason if that fails, or
// nothing.
std::string_view take_authority(std::string_view authority, Url& url) {
  if (authority.find('@') != std::string_view::npos) return "it has a user name or a password";
  const bool bracketed = authority.starts_with('[');
  const auto host_end = bracketed ? authority.find(']') : authority.find(':');
  if (bracketed && host_end == std::string_view::npos) return "a bracket is not closed";
  url.host = bracketed ? authority.substr(1, host_end - 1) : authority.substr(0, host_end);
  std::ranges::transform(url.host, url.host.begin(), lower_case);
  if (url.host.empty()) return "it names no host";
  if (bracketed && !is_v6(url.host)) return "what is in brackets is not an IPv6 address";
  if (!bracketed && !is_name(url.host)) return "the host has characters that no name has";

  auto rest = authority.substr(std::min(host_end, authority.size()));
  if (bracketed) rest.remove_prefix(1);
  if (rest.empty()) return {};
  if (rest.front() != ':') return "something is between host and port";
  rest.remove_prefix(1);
  const auto [end, fault] = std::from_chars(rest.data(), rest.data() + rest.size(), url.port);
  if (fault != std::errc() || end != rest.data() + rest.size() || url.port < 1 ||
      url.port > 65535) {
    return "the port is not a number from 1 to 65535";
  }
  return {};
}

// Resolves the segments "." and ".." of a path.
std::string without_dots(std::string_view path) {
  std::string out;
  while (!path.empty()) {
    const auto end = path.find('/', 1);
    const auto step = path.substr(0, end);  // With its leading slash.
    const bool last = end == std::string_view::npos;
    path.remove_prefix(step.size());
    if (step == "/." || step == "/..") {
      if (step == "/..") out.resize(out.empty() ? 0 : out.rfind('/'));
      if (last) out += '/';
    } else {
      out += step;
    }
  }
  return out;
}

}  // namespace

std::string Url::authority() const {
  const bool v6 = host.find(':') != std::string::npos;
  std::string text = v6 ? fmt::format("[{}]", host) : host;
  if (port != default_port(tls)) text += fmt::format(":{}", port);
  return text;
}

std::string Url::origin() const {
  const bool v6 = host.find(':') != std::string::npos;
  return fmt::format("{}{}{}{}:{}", tls ? kSecure : kPlain, v6 ? "[" : "", host, v6 ? "]" : "",
                     port);
}

std::string Url::text() const {
  return fmt::format("{}{}{}", tls ? kSecure : kPlain, authority(), path);
}

Result<Url> parse_url(std::string_view text) { return parse_url(text, kHttpSchemes); }

Result<Url> parse_url(std::string_view text, std::span<const UrlScheme> schemes) {
  if (const auto why = unfit(text); !why.empty()) {
    return Error{Code::invalid_params, fmt::format("the URL cannot be used: {}", why)};
  }
  const auto scheme = std::ranges::find_if(
      schemes, [&text](const UrlScheme& known) { return starts_with_scheme(text, known.name); });
  if (scheme == schemes.end()) {
    return bad(text, fmt::format("it does not begin with {}", list_of(schemes)));
  }
  Url url;
  url.tls = scheme->tls;
  url.port = scheme->port;
  url.path = scheme->path;
  const auto rest = text.substr(scheme->name.size() + 3);
  const auto authority = rest.substr(0, rest.find_first_of("/?"));
  const auto path = rest.substr(authority.size());
  if (const auto why = take_authority(authority, url); !why.empty()) {
    // A password must not be repeated in an error.
    const bool secret = authority.find('@') != std::string_view::npos;
    return bad(secret ? authority.substr(authority.rfind('@') + 1) : text, why);
  }
  if (!path.empty()) url.path = path.starts_with('?') ? fmt::format("/{}", path) : path;
  return url;
}

Result<Url> resolve_reference(const Url& base, std::string_view reference) {
  if (has_scheme(reference)) return parse_url(reference);
  if (reference.starts_with("//")) {
    return parse_url(fmt::format("{}{}", base.tls ? "https:" : "http:", reference));
  }
  if (const auto why = unfit(reference); !why.empty()) {
    return Error{Code::invalid_params, fmt::format("the reference cannot be used: {}", why)};
  }
  Url url = base;
  if (reference.empty()) return url;
  const std::string_view base_path = std::string_view(base.path).substr(0, base.path.find('?'));
  const auto mark = reference.find('?');
  const auto path = reference.substr(0, mark);
  const auto query = reference.substr(path.size());
  if (path.empty()) {
    url.path = fmt::format("{}{}", base_path, query);
    return url;
  }
  const bool rooted = path.front() == '/';
  const auto folder = rooted ? "" : base_path.substr(0, base_path.rfind('/') + 1);
  url.path = fmt::format("{}{}", without_dots(fmt::format("{}{}", folder, path)), query);
  return url;
}

}  // namespace patchbay::net
