#include "upstreams/openapi/security.h"

#include <fmt/format.h>

#include <algorithm>

#include "core/base64.h"
#include "core/http_token.h"
#include "json/text.h"
#include "net/http/syntax/percent.h"

namespace patchbay::upstreams {
namespace {

using json::NodeId;
using json::Type;

constexpr std::string_view kAuthorization = "Authorization";

}  // namespace

std::string fault_of_credential(const std::string& value) {
  if (value.empty()) return "is empty";
  const bool bad = std::ranges::any_of(
      value, [](char c) { return static_cast<unsigned char>(c) < 0x20 || c == 0x7F; });
  return bad ? "has a control character, for example a line end" : "";
}

OpenapiSecurity::OpenapiSecurity(const OpenapiDocument& document,
                                 const config::Dict<std::string>& credentials)
    : document_(document), credentials_(credentials) {
  const auto components = document_.find(0, "components");
  const auto schemes = components ? document_.find(*components, "securitySchemes") : std::nullopt;
  if (schemes && document_.type(*schemes) == Type::object) {
    document_.each(*schemes, [&](NodeId scheme) { read_scheme(scheme); });
  }
  for (const auto& [name, value] : credentials_) {
    if (schemes_.contains(name)) continue;
    problems_.push_back(fmt::format(
        "credentials.{}: the document has no such security scheme that can be used", name));
  }
}

void OpenapiSecurity::read_scheme(NodeId at) {
  const std::string name(document_.index().key(at));
  const auto target = document_.resolve(at);
  if (!target) return;
  const auto type = document_.string(*target, "type");
  Scheme scheme;
  scheme.name = kAuthorization;
  if (type == "apiKey") {
    scheme.name = document_.string(*target, "name");
    const auto in = document_.string(*target, "in");
    if (in != "header" && in != "query" && in != "cookie") return;
    scheme.location = in == "query"    ? ParameterLocation::query
                      : in == "cookie" ? ParameterLocation::cookie
                                       : ParameterLocation::header;
    if (scheme.name.empty()) return;
    if (scheme.location != ParameterLocation::query && !is_token(scheme.name)) return;
  } else if (type == "http") {
    const auto scheme_name = document_.string(*target, "scheme");
    if (!is_token(scheme_name)) return;
    scheme.basic = same_token(scheme_name, "basic");
    scheme.prefix = scheme.basic                        ? "Basic "
                    : same_token(scheme_name, "bearer") ? "Bearer "
                                                        : scheme_name + " ";
  } else if (type == "oauth2" || type == "openIdConnect") {
    scheme.prefix = "Bearer ";
  } else if (type == "mutualTLS") {
    scheme.silent = true;
  } else {
    return;
  }
  schemes_.emplace(name, std::move(scheme));
}

const std::string* OpenapiSecurity::credential(const std::string& scheme) const {
  for (const auto& [name, value] : credentials_) {
    if (name == scheme) return &value;
  }
  return nullptr;
}

bool OpenapiSecurity::is_met(NodeId requirement) const {
  bool met = document_.type(requirement) == Type::object;
  document_.each(requirement, [&](NodeId one) {
    const std::string name(document_.index().key(one));
    const auto scheme = schemes_.find(name);
    met = met && scheme != schemes_.end() && (scheme->second.silent || credential(name));
  });
  return met;
}

void OpenapiSecurity::add(OpenapiProof& proof, const std::string& name) const {
  const Scheme& scheme = schemes_.at(name);
  const std::string* const given = credential(name);
  if (scheme.silent || !given) return;
  const std::string value = scheme.prefix + (scheme.basic ? base64_encode(*given) : *given);
  const std::string pair =
      fmt::format("{}={}", net::percent_encode(scheme.name), net::percent_encode(value));
  switch (scheme.location) {
    case ParameterLocation::query:
      proof.query += (proof.query.empty() ? "" : "&") + pair;
      proof.query_names.push_back(scheme.name);
      break;
    case ParameterLocation::cookie:
      proof.cookies += (proof.cookies.empty() ? "" : "; ") + pair;
      proof.cookie_names.push_back(scheme.name);
      break;
    default:
      proof.fields += fmt::format("{}: {}\r\n", scheme.name, value);
      proof.field_names.push_back(scheme.name);
  }
}

OpenapiProof OpenapiSecurity::proof_for(NodeId operation) {
  OpenapiProof proof;
  auto wanted = document_.find(operation, "security");
  if (!wanted) wanted = document_.find(0, "security");
  if (!wanted || document_.type(*wanted) != Type::array) return proof;
  bool optional = document_[*wanted].count == 0;
  std::optional<NodeId> chosen;
  document_.each(*wanted, [&](NodeId one) {
    if (document_[one].count == 0) {
      optional = true;
    } else if (!chosen && is_met(one)) {
      chosen = one;
    }
  });
  if (chosen) {
    document_.each(*chosen,
                   [&](NodeId one) { add(proof, std::string(document_.index().key(one))); });
  } else if (!optional) {
    document_.each(*wanted + 1, [&](NodeId one) {
      const std::string name(document_.index().key(one));
      if (!credential(name)) ++unmet_[name];
    });
  }
  return proof;
}

std::vector<std::string> OpenapiSecurity::problems() const {
  auto all = problems_;
  for (const auto& [scheme, count] : unmet_) {
    all.push_back(fmt::format("{} operations need credentials.{}, which is not set", count,
                              json::shortened(scheme, 80)));
  }
  return all;
}

}  // namespace patchbay::upstreams
