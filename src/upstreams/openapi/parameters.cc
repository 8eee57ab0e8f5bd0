#include "upstreams/openapi/parameters.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>

#include "core/http_token.h"
#include "json/text.h"
#include "json/uri.h"
#include "net/http/syntax/percent.h"
#include "upstreams/openapi/faults.h"
#include "upstreams/openapi/names.h"
#include "upstreams/openapi/schema.h"

namespace patchbay::upstreams {
namespace {

using json::NodeId;
using json::Type;

constexpr std::size_t kMostArgument = 64;
constexpr std::size_t kMostParameters = 500;

// The gateway writes these or refuses them: they decide how a message is parsed.
constexpr std::array<std::string_view, 17> kReserved{"accept",           "accept-encoding",
                                                     "authorization",    "connection",
                                                     "content-encoding", "content-length",
                                                     "content-type",     "cookie",
                                                     "expect",           "host",
                                                     "keep-alive",       "proxy-authorization",
                                                     "proxy-connection", "te",
                                                     "trailer",          "transfer-encoding",
                                                     "upgrade"};

struct LocationName {
  std::string_view name;
  ParameterLocation location;
};
constexpr std::array kLocations{LocationName{"path", ParameterLocation::path},
                                LocationName{"query", ParameterLocation::query},
                                LocationName{"header", ParameterLocation::header},
                                LocationName{"cookie", ParameterLocation::cookie}};

struct StyleName {
  std::string_view name;
  ParameterStyle style;
};
constexpr std::array kPathStyles{StyleName{"simple", ParameterStyle::simple},
                                 StyleName{"label", ParameterStyle::label},
                                 StyleName{"matrix", ParameterStyle::matrix}};
constexpr std::array kQueryStyles{StyleName{"form", ParameterStyle::form},
                                  StyleName{"spaceDelimited", ParameterStyle::space_delimited},
                                  StyleName{"pipeDelimited", ParameterStyle::pipe_delimited},
                                  StyleName{"deepObject", ParameterStyle::deep_object}};

std::string_view name_of(ParameterLocation location) {
  return std::ranges::find(kLocations, location, &LocationName::location)->name;
}

}  // namespace

ParameterForm read_form(const OpenapiDocument& document, NodeId at, ParameterLocation location) {
  const bool in_query =
      location == ParameterLocation::query || location == ParameterLocation::cookie;
  const auto style = document.string(at, "style");
  ParameterForm form;
  form.style = in_query ? ParameterStyle::form : ParameterStyle::simple;
  const auto take = [&](const auto& names) {
    const auto* const found = std::ranges::find(names, style, &StyleName::name);
    if (found != names.end()) form.style = found->style;
  };
  if (location == ParameterLocation::path) take(kPathStyles);
  if (location == ParameterLocation::query) take(kQueryStyles);
  form.explode = document.flag(at, "explode", form.style == ParameterStyle::form);
  form.reserved = document.flag(at, "allowReserved");
  return form;
}

namespace {

bool is_simple_value(const OpenapiDocument& document, std::optional<NodeId> schema) {
  if (!schema) return true;
  const auto target = document.resolve(*schema);
  if (!target) return false;
  const auto type = document.string(*target, "type");
  return type != "array" && type != "object" && !document.find(*target, "properties");
}

Result<OpenapiParameter> read_parameter(const OpenapiDocument& document, NodeId listed) {
  const auto at = document.resolve(listed);
  if (!at) return at.error();
  OpenapiParameter parameter;
  parameter.name = document.string(*at, "name");
  const auto in = document.string(*at, "in");
  const auto* const location = std::ranges::find(kLocations, in, &LocationName::name);
  if (parameter.name.empty() || location == kLocations.end()) {
    return openapi_fault("a parameter has no name, or an unknown location");
  }
  parameter.location = location->location;
  parameter.form = read_form(document, *at, parameter.location);
  const bool named = parameter.location == ParameterLocation::header ||
                     parameter.location == ParameterLocation::cookie;
  if (named && !is_token(parameter.name)) {
    return openapi_fault(
        fmt::format("the parameter {} has a name that no header or cookie can have",
                    json::quote(json::shortened(parameter.name, 80))));
  }
  parameter.required =
      parameter.location == ParameterLocation::path || document.flag(*at, "required");
  parameter.description = document.string(*at, "description");
  parameter.deprecated = document.flag(*at, "deprecated");
  parameter.schema = document.find(*at, "schema");
  const auto content = document.find(*at, "content");
  if (!parameter.schema && content && document[*content].count > 0) {
    const NodeId media = *content + 1;
    parameter.schema = document.find(media, "schema");
    parameter.form.as_json = is_json_media(media_essence(document.index().key(media)));
  }
  parameter.simple_value = is_simple_value(document, parameter.schema);
  return parameter;
}

bool is_gateways(const OpenapiParameter& parameter, const OpenapiProof& proof,
                 const std::vector<std::string>& fixed) {
  const auto same = [&](std::string_view name) { return same_token(name, parameter.name); };
  switch (parameter.location) {
    case ParameterLocation::header:
      return std::ranges::any_of(kReserved, same) || std::ranges::any_of(fixed, same) ||
             std::ranges::any_of(proof.field_names, same);
    case ParameterLocation::query:
      return std::ranges::find(proof.query_names, parameter.name) != proof.query_names.end();
    case ParameterLocation::cookie:
      return std::ranges::find(proof.cookie_names, parameter.name) != proof.cookie_names.end();
    case ParameterLocation::path:
      break;
  }
  return false;
}

// Literal text of a path. Characters that a URL cannot contain are encoded; those that would end
// the path are refused.
Result<std::string> literal(std::string_view text) {
  constexpr std::string_view kStays = "/:@!$&'()*+,;=%";
  std::string out;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const auto byte = static_cast<unsigned char>(text[i]);
    if (byte < 0x20 || byte == 0x7F || byte == '?' || byte == '#' || byte == '\\') {
      return openapi_fault("its path has characters that no path has");
    }
    const bool stays = kStays.find(text[i]) != std::string_view::npos;
    out += stays ? std::string(1, text[i]) : net::percent_encode(text.substr(i, 1));
  }
  if (!json::decode_percents(out)) return openapi_fault("its path has a '%' without two digits");
  return out;
}

}  // namespace

Result<std::vector<OpenapiParameter>> read_parameters(const OpenapiDocument& document, NodeId path,
                                                      NodeId operation, const OpenapiProof& proof,
                                                      const std::vector<std::string>& fixed) {
  std::vector<OpenapiParameter> all;
  std::map<std::pair<ParameterLocation, std::string>, std::size_t> known;
  for (const NodeId owner : {path, operation}) {
    const auto list = document.find(owner, "parameters");
    if (!list || document.type(*list) != Type::array) continue;
    Result<void> done = ok();
    document.each(*list, [&](NodeId one) {
      if (!done) return;
      auto parameter = read_parameter(document, one);
      if (!parameter) {
        done = parameter.error();
        return;
      }
      const auto [same, fresh] =
          known.try_emplace({parameter->location, parameter->name}, all.size());
      if (fresh) {
        all.push_back(*std::move(parameter));
      } else {
        all[same->second] = *std::move(parameter);
      }
      if (all.size() > kMostParameters) done = openapi_fault("it has too many parameters");
    });
    if (!done) return done.error();
  }
  std::erase_if(all, [&](const auto& one) { return is_gateways(one, proof, fixed); });
  return all;
}

void name_arguments(OpenapiOperation& operation) {
  std::set<std::string> taken;
  if (operation.body.kind != BodyKind::none) {
    operation.body.argument = unique_name("body", taken);
  }
  for (auto& parameter : operation.parameters) {
    std::string wanted = fit_name(parameter.name, kMostArgument, "value");
    if (taken.contains(wanted)) wanted = fmt::format("{}_{}", wanted, name_of(parameter.location));
    parameter.argument = unique_name(wanted, taken);
  }
}

Result<std::vector<PathPiece>> read_path(const std::string& path,
                                         const std::vector<OpenapiParameter>& parameters) {
  if (!path.starts_with('/')) return openapi_fault("its path does not begin with '/'");
  std::vector<PathPiece> pieces;
  std::string_view left = path;
  while (!left.empty()) {
    const auto open = std::min(left.find('{'), left.size());
    auto text = literal(left.substr(0, open));
    if (!text) return text.error();
    PathPiece piece{*std::move(text)};
    left.remove_prefix(open);
    const auto close = left.find('}');
    if (!left.empty() && close == std::string_view::npos) {
      return openapi_fault("its path has a '{' that is not closed");
    }
    if (!left.empty()) {
      const auto name = left.substr(1, close - 1);
      const auto found = std::ranges::find_if(parameters, [&](const auto& one) {
        return one.location == ParameterLocation::path && one.name == name;
      });
      if (found == parameters.end()) {
        return openapi_fault(
            fmt::format("its path has {{{}}}, but no such parameter", json::shortened(name, 80)));
      }
      piece.parameter = static_cast<std::size_t>(found - parameters.begin());
      left.remove_prefix(close + 1);
    }
    pieces.push_back(std::move(piece));
  }
  return pieces;
}

}  // namespace patchbay::upstreams
