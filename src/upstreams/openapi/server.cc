#include "upstreams/openapi/server.h"

#include <fmt/format.h>

#include <algorithm>

#include "json/text.h"
#include "upstreams/openapi/faults.h"

namespace patchbay::upstreams {
namespace {

using json::NodeId;
using json::Type;

// The value of one variable: as configured, else the default of the document.
Result<std::string> value_of(const OpenapiDocument& document, const OpenapiSettings& settings,
                             std::optional<NodeId> variables, const std::string& name) {
  const auto variable = variables ? document.find(*variables, name) : std::nullopt;
  const auto given =
      std::ranges::find(settings.variables, name, &std::pair<std::string, std::string>::first);
  if (given == settings.variables.end()) {
    if (variable && document.find(*variable, "default")) {
      return document.string(*variable, "default");
    }
    return openapi_fault(
        fmt::format("the server has a variable '{}' without a default; set `variables`",
                    json::shortened(name, 80)));
  }
  const auto choices = variable ? document.find(*variable, "enum") : std::nullopt;
  bool allowed = !choices;
  if (choices) {
    document.each(*choices, [&](NodeId one) {
      std::string scratch;
      allowed |= document.type(one) == Type::string &&
                 document.index().text(one, scratch) == given->second;
    });
  }
  if (!allowed) {
    return openapi_fault(fmt::format("variables.{}: '{}' is not one of the document's choices",
                                     name, given->second));
  }
  return given->second;
}

Result<std::string> filled_in(const OpenapiDocument& document, const OpenapiSettings& settings,
                              NodeId server) {
  const std::string url = document.string(server, "url");
  const auto variables = document.find(server, "variables");
  std::string out;
  std::string_view left = url;
  while (!left.empty()) {
    const auto open = std::min(left.find('{'), left.size());
    out += left.substr(0, open);
    left.remove_prefix(open);
    if (left.empty()) break;
    const auto close = left.find('}');
    if (close == std::string_view::npos) break;
    auto value = value_of(document, settings, variables, std::string(left.substr(1, close - 1)));
    if (!value) return value;
    out += *value;
    left.remove_prefix(close + 1);
  }
  return out;
}

Result<net::Url> as_base(net::Url url) {
  if (url.path.find('?') != std::string::npos) {
    return openapi_fault(
        fmt::format("the server '{}' has a query", json::shortened(url.text(), kMaxQuoted)));
  }
  while (url.path.ends_with('/')) url.path.pop_back();
  return url;
}

// The first server of `part`, or `/` beside the document.
Result<net::Url> first_server(const OpenapiDocument& document, const OpenapiSettings& settings,
                              const std::optional<net::Url>& from, NodeId part) {
  const auto servers = document.find(part, "servers");
  std::string url = "/";
  if (servers && document.type(*servers) == Type::array && document[*servers].count > 0) {
    auto filled = filled_in(document, settings, *servers + 1);
    if (!filled) return filled.error();
    if (!filled->empty()) url = *std::move(filled);
  }
  if (from) return net::resolve_reference(*from, url);
  if (url.starts_with('/') || url.find("://") == std::string::npos) {
    return openapi_fault("the document does not name the host of the service; set `server`");
  }
  return net::parse_url(url);
}

}  // namespace

Result<net::Url> server_of(const OpenapiDocument& document, const OpenapiSettings& settings,
                           const std::optional<net::Url>& from) {
  if (!settings.server.empty()) {
    auto url = net::parse_url(settings.server);
    if (!url) return url;
    return as_base(*std::move(url));
  }
  auto url = first_server(document, settings, from, 0);
  if (!url) return url;
  if (from && url->origin() != from->origin()) {
    return openapi_fault(
        fmt::format("the document names a server of another origin, {}; if that is "
                    "right, set `server: {}`",
                    url->origin(), json::shortened(url->text(), kMaxQuoted)));
  }
  return as_base(*std::move(url));
}

Result<net::Url> server_of_part(const OpenapiDocument& document, const OpenapiSettings& settings,
                                const net::Url& base, const std::optional<net::Url>& from,
                                NodeId part) {
  const auto servers = document.find(part, "servers");
  const bool none = !servers || document[*servers].count == 0;
  if (none || !settings.server.empty()) return base;
  auto url = first_server(document, settings, from ? from : std::optional(base), part);
  if (!url) return url;
  if (url->origin() != base.origin()) {
    return openapi_fault(fmt::format("its server has another origin, {}", url->origin()));
  }
  return as_base(*std::move(url));
}

}  // namespace patchbay::upstreams
