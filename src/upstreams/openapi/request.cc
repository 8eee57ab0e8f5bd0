#include "upstreams/openapi/request.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "json/read.h"
#include "json/uri.h"
#include "upstreams/openapi/body.h"
#include "upstreams/openapi/faults.h"
#include "upstreams/openapi/style.h"

namespace patchbay::upstreams {
namespace {

using json::Type;
using Arguments = std::map<std::string, std::string_view, std::less<>>;

Result<Arguments> read_arguments(const OpenapiOperation& operation, std::string_view raw) {
  Arguments given;
  std::string unknown;
  json::each_member(raw, [&](std::string_view key, std::string_view value) {
    const bool known = (operation.body.kind != BodyKind::none && key == operation.body.argument) ||
                       std::ranges::any_of(operation.parameters,
                                           [key](const auto& one) { return one.argument == key; });
    if (!known) unknown = key;
    // Absent and null are the same to a service that has no JSON to read it from.
    if (json::type_of(value) != Type::null || key == operation.body.argument) {
      given.insert_or_assign(std::string(key), value);
    }
  });
  if (!unknown.empty()) {
    return openapi_fault(fmt::format("there is no argument '{}'", json::shortened(unknown, 80)));
  }
  return given;
}

void add_field(std::string& fields, std::string_view name, std::string_view value) {
  for (const auto piece : {name, std::string_view(": "), value, std::string_view("\r\n")}) {
    fields += piece;
  }
}

void add_joined(std::string& to, std::string_view joint, std::string_view text) {
  if (text.empty()) return;
  if (!to.empty()) to += joint;
  to += text;
}

class Composer {
 public:
  Composer(const OpenapiOperation& operation, const Arguments& given)
      : operation_(operation), given_(given) {
    for (const auto& parameter : operation.parameters) {
      const bool named = parameter.location == ParameterLocation::query ||
                         parameter.location == ParameterLocation::cookie;
      if (named) taken_.push_back(parameter.name);
    }
    std::ranges::copy(operation.proof.query_names, std::back_inserter(taken_));
    std::ranges::copy(operation.proof.cookie_names, std::back_inserter(taken_));
  }

  Result<std::string> path() {
    std::string whole;
    for (const auto& piece : operation_.pieces) {
      whole += piece.text;
      if (!piece.parameter) continue;
      const auto& parameter = operation_.parameters[*piece.parameter];
      auto text = written(parameter);
      if (!text) return text;
      // An empty one would be the path of another operation.
      if (text->empty()) {
        return openapi_fault(fmt::format("the argument '{}' may not be empty", parameter.argument));
      }
      whole += *text;
    }
    return checked_steps(std::move(whole));
  }

  // Those of the query or the cookies, joined.
  Result<std::string> joined(ParameterLocation location, std::string_view joint) {
    std::string all;
    for (const auto& parameter : operation_.parameters) {
      if (parameter.location != location) continue;
      auto text = written(parameter);
      if (!text) return text;
      add_joined(all, joint, *text);
    }
    return all;
  }

  Result<void> headers(std::string& fields) {
    for (const auto& parameter : operation_.parameters) {
      if (parameter.location != ParameterLocation::header) continue;
      auto text = written(parameter);
      if (!text) return text.error();
      if (given_.contains(parameter.argument)) add_field(fields, parameter.name, *text);
    }
    return ok();
  }

 private:
  Result<std::string> written(const OpenapiParameter& parameter) {
    const auto found = given_.find(parameter.argument);
    if (found != given_.end()) return write_parameter(parameter, found->second, taken_);
    if (!parameter.required) return std::string();
    return openapi_fault(fmt::format("the argument '{}' is required", parameter.argument));
  }

  // The joined path must not contain a `..` segment either.
  static Result<std::string> checked_steps(std::string path) {
    std::string_view left = path;
    while (!left.empty()) {
      const auto end = std::min(left.find('/', 1), left.size());
      const auto step = left.substr(1, std::min(end, left.find(';')) - 1);
      if (step == "." || step == "..") {
        return openapi_fault("the arguments would make a segment '.' or '..' of the path");
      }
      left.remove_prefix(end);
    }
    return path;
  }

  const OpenapiOperation& operation_;
  const Arguments& given_;
  std::vector<std::string> taken_;
};

Result<void> add_body(const OpenapiOperation& operation, const Arguments& given,
                      OpenapiRequest& request) {
  if (operation.body.kind == BodyKind::none) return ok();
  const auto found = given.find(operation.body.argument);
  if (found == given.end()) {
    if (!operation.body.required) return ok();
    return openapi_fault(fmt::format("the argument '{}' is required", operation.body.argument));
  }
  auto body = write_body(operation.body, found->second);
  if (!body) return body.error();
  add_field(request.fields, "Content-Type", body->content_type);
  request.body = std::move(body->bytes);
  return ok();
}

}  // namespace

Result<OpenapiRequest> make_request(const OpenapiBase& base, const OpenapiOperation& operation,
                                    std::string_view arguments) {
  auto given = read_arguments(operation, arguments);
  if (!given) return given.error();
  Composer composer(operation, *given);
  auto path = composer.path();
  if (!path) return path.error();
  auto query = composer.joined(ParameterLocation::query, "&");
  if (!query) return query.error();
  auto cookies = composer.joined(ParameterLocation::cookie, "; ");
  if (!cookies) return cookies.error();

  OpenapiRequest request;
  request.location = *path;
  request.path = operation.base + *path;
  add_joined(*query, "&", operation.proof.query);
  if (!query->empty()) request.path += "?" + *query;
  request.fields = base.fields + operation.proof.fields;
  if (!operation.accept.empty()) add_field(request.fields, "Accept", operation.accept);
  add_joined(*cookies, "; ", operation.proof.cookies);
  if (!cookies->empty()) add_field(request.fields, "Cookie", *cookies);
  auto headed = composer.headers(request.fields);
  if (!headed) return headed.error();
  if (request.path.size() + request.fields.size() > base.most) {
    return openapi_fault(
        fmt::format("the arguments make a request of more than {} bytes before its body "
                    "(`limits.max_head_size` of the upstream)",
                    base.most));
  }
  auto bodied = add_body(operation, *given, request);
  if (!bodied) return bodied.error();
  return request;
}

}  // namespace patchbay::upstreams
