#include "frontends/rest/path.h"

#include <algorithm>
#include <vector>

#include "net/http/syntax/percent.h"

namespace patchbay::frontends {
namespace {

using Kind = RestPath::Kind;
using Found = Result<std::optional<RestPath>>;

constexpr std::string_view kRead = "GET, HEAD";
constexpr std::string_view kPost = "POST";
constexpr std::string_view kReadAndPost = "GET, HEAD, POST";

std::vector<std::string_view> path_segments(std::string_view path) {
  std::vector<std::string_view> parts;
  for (;;) {
    const auto slash = path.find('/');
    parts.push_back(path.substr(0, slash));
    if (slash == std::string_view::npos) return parts;
    path.remove_prefix(slash + 1);
  }
}

bool take_prefix(std::string_view& path, std::string_view prefix) {
  if (!path.starts_with(prefix)) return false;
  path.remove_prefix(prefix.size());
  return true;
}

// `rest` is the part after the folder of the tools: a name, or a name and the path of its answers.
Found tool_target(std::string_view path, std::string_view rest, Dialect dialect) {
  const auto parts = path_segments(rest);
  const bool answer = parts.size() == 3 && parts[1] == "answers" && !parts[2].empty();
  if (parts[0].empty() || (parts.size() != 1 && !answer)) return std::optional<RestPath>();
  auto name = net::percent_decode(parts[0]);
  if (!name) return name.error();
  RestPath target{.kind = Kind::tool, .dialect = dialect, .name = *std::move(name), .path = path};
  target.allow = dialect == Dialect::mcp ? kReadAndPost : kPost;
  if (answer) {
    auto state = net::percent_decode(parts[2]);
    if (!state) return state.error();
    target.kind = Kind::answer;
    target.state = *std::move(state);
    target.path.remove_suffix(parts[1].size() + parts[2].size() + 2);
    target.allow = kPost;
  }
  return std::optional(std::move(target));
}

// Software that removes dot segments, as the standard requires, would read a different URI.
bool has_dot_segment(std::string_view uri) {
  return std::ranges::any_of(path_segments(uri.substr(0, uri.find_first_of("?#"))),
                             [](std::string_view part) { return part == "." || part == ".."; });
}

// A URI contains slashes, so the whole rest is one URI.
Found resource_target(std::string_view rest, Dialect dialect) {
  if (rest.empty()) return std::optional<RestPath>();
  auto uri = net::percent_decode(rest);
  if (!uri) return uri.error();
  if (has_dot_segment(*uri)) {
    return Error{Code::invalid_request, "the URI of a resource has no '.' or '..' segments"};
  }
  RestPath target{.kind = Kind::resource, .dialect = dialect, .name = *std::move(uri)};
  target.allow = kRead;
  return std::optional(std::move(target));
}

Found mcp_target(std::string_view path, std::string_view rest) {
  const auto simple = [](Kind kind) {
    return std::optional(RestPath{.kind = kind, .dialect = Dialect::mcp, .allow = kRead});
  };
  if (rest == "tools") return simple(Kind::tools);
  if (rest == "resources") return simple(Kind::resources);
  if (rest == "health") return simple(Kind::health);
  if (take_prefix(rest, "tools/")) return tool_target(path, rest, Dialect::mcp);
  if (take_prefix(rest, "resources/")) return resource_target(rest, Dialect::mcp);
  return std::optional<RestPath>();
}

}  // namespace

Found find_target(std::string_view path, std::string_view method, std::string_view topology) {
  std::string_view rest = path;
  if (!topology.empty() && take_prefix(rest, "/gateway/")) {
    const auto name = rest.substr(0, rest.find('/'));
    if (name != topology) return std::optional<RestPath>();
    rest.remove_prefix(name.size());
  }
  if (take_prefix(rest, "/mcp/v1/")) return mcp_target(path, rest);
  if (rest.size() != path.size()) return std::optional<RestPath>();
  if (rest == "/agents" || rest == "/agents/") {
    return std::optional(RestPath{.kind = Kind::agents, .dialect = Dialect::plain, .allow = kRead});
  }
  if (take_prefix(rest, "/api/")) return tool_target(path, rest, Dialect::plain);
  if (take_prefix(rest, "/rcs/")) return resource_target(rest, Dialect::plain);
  if (!take_prefix(rest, "/agents/")) return std::optional<RestPath>();
  auto found = method == "POST" ? tool_target(path, rest, Dialect::plain)
                                : resource_target(rest, Dialect::plain);
  if (found && *found) (*found)->allow = kReadAndPost;
  return found;
}

}  // namespace patchbay::frontends
