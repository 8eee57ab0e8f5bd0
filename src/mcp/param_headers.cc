#include "mcp/param_headers.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "core/http_token.h"
#include "json/read.h"
#include "mcp/stateless.h"

namespace patchbay::mcp {
namespace {

constexpr std::string_view kMark = "x-mcp-header";
constexpr std::string_view kPrefix = "Mcp-Param-";
constexpr double kMostInteger =
    9007199254740991;  // 2^53 - 1: larger integers are not exact in all peers.

// Keywords that hold a schema, a list of schemas, or schemas by name. A mark below one of these
// cannot be found without evaluating the schema, so it is invalid. (Other keywords hold data, where
// the mark has no meaning.)
constexpr std::array<std::string_view, 12> kOneSchema{"items",
                                                      "additionalItems",
                                                      "contains",
                                                      "additionalProperties",
                                                      "propertyNames",
                                                      "unevaluatedProperties",
                                                      "unevaluatedItems",
                                                      "contentSchema",
                                                      "not",
                                                      "if",
                                                      "then",
                                                      "else"};
constexpr std::array<std::string_view, 4> kManySchemas{"allOf", "anyOf", "oneOf", "prefixItems"};
constexpr std::array<std::string_view, 4> kNamedSchemas{"patternProperties", "dependentSchemas",
                                                        "$defs", "definitions"};

// Each is compared with the earlier ones and looked up in the arguments of every call.
constexpr std::size_t kMostHeaders = 64;

template <class Names>
bool is_one_of(const Names& names, std::string_view key) {
  return std::ranges::find(names, key) != names.end();
}

class SchemaWalk {
 public:
  // `reachable`: only `properties` lead here from the root.
  void schema(std::string_view raw, bool reachable) {
    std::optional<std::string_view> mark;
    std::string type;
    json::each_member(raw, [&](std::string_view key, std::string_view value) {
      if (key == kMark) mark = value;
      if (key == "type") type = json::as_string(value).value_or("");
      if (key == "properties") return named(value, reachable);
      if (is_one_of(kOneSchema, key)) schema(value, false);
      if (is_one_of(kNamedSchemas, key)) named(value, false);
      if (is_one_of(kManySchemas, key) || key == "items") {
        json::each_element(value, [&](std::string_view one) { schema(one, false); });
      }
    });
    if (mark) take(*mark, type, reachable);
  }

  std::vector<ParamHeader> found;
  std::string fault;

 private:
  void named(std::string_view raw, bool reachable) {
    json::each_member(raw, [&](std::string_view name, std::string_view value) {
      path_.emplace_back(name);
      schema(value, reachable);
      path_.pop_back();
    });
  }

  void take(std::string_view mark, std::string_view type, bool reachable) {
    const auto name = json::as_string(mark);
    if (!name || !is_token(*name)) return fail("is not the name of a header");
    if (!reachable) return fail("cannot be found by `properties` alone");
    ParamHeader added{path_, fmt::format("{}{}", kPrefix, *name), ParamHeader::Type::string};
    if (type == "integer") {
      added.type = ParamHeader::Type::integer;
    } else if (type == "boolean") {
      added.type = ParamHeader::Type::boolean;
    } else if (type != "string") {
      return fail("is not on a string, an integer or a boolean");
    }
    if (found.size() == kMostHeaders) return fail("is one of too many");
    const auto same = [&](const ParamHeader& other) {
      return same_token(other.header, added.header);
    };
    if (std::ranges::any_of(found, same)) return fail("names the same header as another");
    found.push_back(std::move(added));
  }

  void fail(std::string_view what) {
    if (fault.empty()) {
      fault = fmt::format("{} of '{}' {}", kMark, fmt::join(path_, "."), what);
    }
  }

  std::vector<std::string> path_;
};

// The raw argument; empty if it is not there or null.
std::string_view argument_at(std::string_view arguments, const std::vector<std::string>& path) {
  for (const auto& step : path) arguments = json::member(arguments, step).value_or("");
  return arguments == "null" ? "" : arguments;
}

// `5.0` and `5e0` are the integer 5 too.
std::optional<double> as_integer(std::string_view text) {
  const auto number = json::as_double(text);
  if (!number || std::trunc(*number) != *number || std::abs(*number) > kMostInteger) {
    return std::nullopt;
  }
  return *number + 0.0;  // There is no negative zero among integers.
}

// The text of a header for an argument, not encoded yet; empty if it cannot be mirrored.
std::optional<std::string> mirrored(std::string_view raw) {
  switch (json::type_of(raw)) {
    case json::Type::string:
      return json::as_string(raw);
    case json::Type::boolean:
      return std::string(raw);
    case json::Type::number:
      if (const auto whole = as_integer(raw)) return fmt::format("{:.0f}", *whole);
      return std::string(raw);
    default:
      return std::nullopt;
  }
}

bool matches(const ParamHeader& header, std::string_view value, std::string_view raw) {
  const auto text = decode_header(value);
  const auto wanted = mirrored(raw);
  if (!text || !wanted) return false;
  if (*text == *wanted) return true;
  if (header.type != ParamHeader::Type::integer) return false;
  const auto number = as_integer(*text);
  return number && number == as_integer(raw);
}

}  // namespace

Result<std::vector<ParamHeader>> param_headers(std::string_view input_schema) {
  if (input_schema.find(kMark) == std::string_view::npos) return std::vector<ParamHeader>();
  SchemaWalk walk;
  walk.schema(input_schema, true);
  if (!walk.fault.empty()) return Error{Code::invalid_params, std::move(walk.fault)};
  return std::move(walk.found);
}

std::string header_lines(const std::vector<ParamHeader>& headers, std::string_view arguments) {
  std::string lines;
  for (const auto& header : headers) {
    const auto text = mirrored(argument_at(arguments, header.path));
    if (!text) continue;
    fmt::format_to(std::back_inserter(lines), "{}: {}\r\n", header.header, encode_header(*text));
  }
  return lines;
}

Result<void> check_param_headers(const std::vector<ParamHeader>& headers,
                                 std::string_view arguments, const FindHeader& find) {
  for (const auto& header : headers) {
    const auto value = find(header.header);
    const std::string_view raw = argument_at(arguments, header.path);
    if (raw.empty() && !value) continue;
    if (!value) {
      return Error{Code::header_mismatch, fmt::format("the {} header is missing", header.header)};
    }
    if (raw.empty() || !matches(header, *value, raw)) {
      return Error{Code::header_mismatch,
                   fmt::format("the {} header differs from the body", header.header)};
    }
  }
  return ok();
}

}  // namespace patchbay::mcp
