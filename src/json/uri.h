// Parsing and resolving URI references (RFC 3986); for `$id` and `$ref` of schemas, which are names
// here and never fetched, and for rules about resources. Values only; slices point into the text.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace patchbay::json {

struct UriParts {
  std::optional<std::string_view> scheme;
  std::optional<std::string_view> authority;
  std::string_view path;
  std::optional<std::string_view> query;
  std::optional<std::string_view> fragment;
};

// Any text has parts, well-formed or not.
UriParts split_uri(std::string_view text);

// `reference` relative to `base`, without its fragment.
std::string resolve_uri(std::string_view base, std::string_view reference);

// `text` with each %XX replaced by its byte; empty if a percent sign is followed by anything else.
std::optional<std::string> decode_percents(std::string_view text);

// The same where failing is no option: a stray percent sign is not changed.
std::string decode_percents_leniently(std::string_view text);

// One text for URIs that most servers treat as equal: scheme and host in lower case, without user,
// default port and the dot after the host; the path without empty, "." and ".." segments, a
// backslash as a slash; no fragment. Without tabs and line ends, blanks around it, and what follows
// a NUL. file:/a and file://localhost/a are file:///a, without a query. Percent escapes stay:
// decode them first.
std::string normal_uri(std::string_view text);

}  // namespace patchbay::json
