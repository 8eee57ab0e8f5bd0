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
  const auto cut = [&](std::string_view end) {
    if (authority.ends_with(end)) authority.remove_suffix(end.size());
  };
  if (scheme == "http" || scheme == "ws") cut(":80");
  if (scheme == "https" || scheme == "wss") cut(":443");
  cut(":");
  cut(".");
  return ascii_lower(authority);
}

// Each %XX as its byte. `strays` says whether a percent sign is followed by anything else.
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
  std::string slashes(text);
  std::ranges::replace(slashes, '\\', '/');
  UriParts parts = split_uri(slashes);
  const std::string scheme = ascii_lower(parts.scheme.value_or(""));
  const std::string host = normal_host(parts.authority.value_or(""), scheme);
  if (parts.scheme) parts.scheme = scheme;
  if (parts.authority) parts.authority = host;
  return join(parts, without_dots(without_empty_segments(parts.path)));
}

}  // namespace patchbay::json
