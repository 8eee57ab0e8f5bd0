#include "json/uri.h"

#include <algorithm>
#include <charconv>

#include "core/text.h"

namespace patchbay::json {
namespace {

// The end of the scheme, which is its colon; npos if there is none.
std::size_t scheme_end(std::string_view text) {
  const auto end = text.find_first_of(":/?#");
  return end != std::string_view::npos && end > 0 && text[end] == ':' ? end
                                                                      : std::string_view::npos;
}

// Removes "." and ".." from a path.
std::string without_dots(std::string_view path) {
  std::string out;
  while (!path.empty()) {
    const auto end = path.find('/', 1);
    const std::string_view segment = path.substr(0, end);
    const bool last = end == std::string_view::npos;
    path.remove_prefix(segment.size());
    if (segment == "/." || segment == ".") {
      if (last) out += '/';
    } else if (segment == "/.." || segment == "..") {
      out.resize(out.find_last_of('/') == std::string::npos ? 0 : out.find_last_of('/'));
      if (last) out += '/';
    } else {
      out += segment;
    }
  }
  return out;
}

std::string without_empty_segments(std::string_view path) {
  std::string out;
  for (const char c : path) {
    if (c != '/' || !out.ends_with('/')) out += c;
  }
  return out;
}

std::string normal_host(std::string_view authority, std::string_view scheme) {
  if (const auto at = authority.rfind('@'); at != std::string_view::npos) {
    authority.remove_prefix(at + 1);
  }
  std::string_view port;
  const auto colon = authority.rfind(':');
  if (colon != std::string_view::npos && authority.find(']', colon) == std::string_view::npos) {
    port = authority.substr(colon + 1);
    authority.remove_suffix(port.size() + 1);
  }
  while (port.starts_with('0')) port.remove_prefix(1);
  if ((scheme == "http" || scheme == "ws") && port == "80") port = "";
  if ((scheme == "https" || scheme == "wss") && port == "443") port = "";
  if (authority.ends_with('.')) authority.remove_suffix(1);
  std::string host = ascii_lower(authority);
  if (!port.empty()) host.append(":").append(port);
  return host;
}

// As programs read it that drop line ends and tabs, and blanks around it, and as those do for which
// it ends with a NUL.
std::string without_controls(std::string_view text) {
  text = text.substr(0, text.find('\0'));
  const auto blank = [](char c) { return static_cast<unsigned char>(c) <= ' '; };
  while (!text.empty() && blank(text.front())) text.remove_prefix(1);
  while (!text.empty() && blank(text.back())) text.remove_suffix(1);
  std::string out(text);
  std::erase_if(out, [](char c) { return c == '\t' || c == '\r' || c == '\n'; });
  return out;
}

// Each %XX as its byte. `strays` is set to whether a percent sign is followed by anything else.
std::string decoded(std::string_view text, bool& strays) {
  std::string out;
  out.reserve(text.size());
  for (std::size_t i = 0; i < text.size(); ++i) {
    unsigned byte = 0;
    const std::string_view digits = text[i] == '%' ? text.substr(i + 1, 2) : std::string_view();
    const auto [end, fault] =
        std::from_chars(digits.data(), digits.data() + digits.size(), byte, 16);
    const bool code = digits.size() == 2 && fault == std::errc() && end == digits.data() + 2;
    out += code ? static_cast<char>(byte) : text[i];
    if (code) i += 2;
    strays |= !code && text[i] == '%';
  }
  return out;
}

std::string merged_path(const UriParts& base, std::string_view path) {
  if (base.authority && base.path.empty()) return "/" + std::string(path);
  const auto slash = base.path.find_last_of('/');
  const std::string_view folder =
      slash == std::string_view::npos ? std::string_view() : base.path.substr(0, slash + 1);
  return std::string(folder) + std::string(path);
}

std::string join(const UriParts& parts, std::string_view path) {
  std::string out;
  if (parts.scheme) out.append(*parts.scheme).append(":");
  if (parts.authority) out.append("//").append(*parts.authority);
  out += path;
  if (parts.query) out.append("?").append(*parts.query);
  return out;
}

}  // namespace

UriParts split_uri(std::string_view text) {
  UriParts out;
  if (const auto hash = text.find('#'); hash != std::string_view::npos) {
    out.fragment = text.substr(hash + 1);
    text = text.substr(0, hash);
  }
  if (const auto colon = scheme_end(text); colon != std::string_view::npos) {
    out.scheme = text.substr(0, colon);
    text.remove_prefix(colon + 1);
  }
  if (const auto mark = text.find('?'); mark != std::string_view::npos) {
    out.query = text.substr(mark + 1);
    text = text.substr(0, mark);
  }
  if (text.starts_with("//")) {
    out.authority = text.substr(2, text.find('/', 2) - 2);
    text.remove_prefix(2 + out.authority->size());
  }
  out.path = text;
  return out;
}

std::string resolve_uri(std::string_view base_text, std::string_view reference) {
  UriParts parts = split_uri(reference);
  if (parts.scheme) return join(parts, without_dots(parts.path));
  const UriParts base = split_uri(base_text);
  parts.scheme = base.scheme;
  if (parts.authority) return join(parts, without_dots(parts.path));
  parts.authority = base.authority;
  if (parts.path.empty()) {
    if (!parts.query) parts.query = base.query;
    return join(parts, base.path);
  }
  if (parts.path.starts_with('/')) return join(parts, without_dots(parts.path));
  return join(parts, without_dots(merged_path(base, parts.path)));
}

std::optional<std::string> decode_percents(std::string_view text) {
  bool strays = false;
  std::string out = decoded(text, strays);
  if (strays) return std::nullopt;
  return out;
}

std::string decode_percents_leniently(std::string_view text) {
  bool strays = false;
  return decoded(text, strays);
}

std::string normal_uri(std::string_view text) {
  std::string slashes = without_controls(text);
  std::ranges::replace(slashes, '\\', '/');
  UriParts parts = split_uri(slashes);
  const std::string scheme = ascii_lower(parts.scheme.value_or(""));
  std::string host = normal_host(parts.authority.value_or(""), scheme);
  if (parts.scheme) parts.scheme = scheme;
  // file:/a, file:///a and file://localhost/a are one file, and a file has no query.
  if (scheme == "file") {
    if (host == "localhost") host.clear();
    if (parts.path.starts_with('/')) parts.authority = host;
    parts.query.reset();
  }
  if (parts.authority) parts.authority = host;
  return join(parts, without_dots(without_empty_segments(parts.path)));
}

}  // namespace patchbay::json
