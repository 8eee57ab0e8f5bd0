#include "upstreams/openapi/resources.h"

#include <fmt/format.h>

#include <algorithm>

#include "json/text.h"
#include "json/write.h"
#include "net/http/syntax/percent.h"
#include "upstreams/openapi/tool.h"

namespace patchbay::upstreams {
namespace {

bool is_in_query(const OpenapiParameter& parameter) {
  return parameter.location == ParameterLocation::query && parameter.simple_value;
}

// Takes the value of the parameter, up to the literal `text` that follows it, off the front of
// `path`.
std::optional<std::string_view> take_value(std::string_view& path, std::string_view text) {
  const auto step = path.substr(0, path.find('/'));
  const auto end = text.empty() ? step.size() : path.find(text);
  if (end == std::string_view::npos || end == 0 || end > step.size()) return std::nullopt;
  const auto value = path.substr(0, end);
  path.remove_prefix(end);
  return value;
}

class Matcher {
 public:
  explicit Matcher(const OpenapiOperation& operation) : operation_(operation) {}

  // True if `path` is one of the operation.
  Result<bool> take_path(std::string_view path) {
    const auto& pieces = operation_.pieces;
    for (std::size_t i = 0; i < pieces.size(); ++i) {
      if (!path.starts_with(pieces[i].text)) return false;
      path.remove_prefix(pieces[i].text.size());
      if (!pieces[i].parameter) continue;
      const auto next = i + 1 < pieces.size() ? std::string_view(pieces[i + 1].text) : "";
      const auto value = take_value(path, next);
      if (!value) return false;
      auto text = net::percent_decode(*value);
      if (!text) return text.error();
      add(operation_.parameters[*pieces[i].parameter].argument, *text);
    }
    return path.empty();
  }

  Result<void> take_query(std::string_view query) {
    auto given = net::parse_query(query);
    if (!given) return given.error();
    for (const auto& [name, value] : *given) {
      const auto found = std::ranges::find_if(operation_.parameters, [&](const auto& one) {
        return is_in_query(one) && one.name == name;
      });
      if (found == operation_.parameters.end()) {
        return Error{Code::invalid_params,
                     fmt::format("the resource has no parameter '{}'", json::shortened(name, 80))};
      }
      add(found->argument, value);
    }
    return ok();
  }

  std::string take() {
    object_.end();
    return std::move(out_);
  }

 private:
  void add(std::string_view argument, std::string_view text) {
    object_.raw(argument, json::quote(text));
  }

  const OpenapiOperation& operation_;
  std::string out_;
  json::Object object_{out_};
};

}  // namespace

bool is_readable(const OpenapiOperation& operation) {
  return operation.method == "GET" &&
         std::ranges::all_of(operation.parameters, [](const OpenapiParameter& one) {
           if (one.location == ParameterLocation::path)
             return one.simple_value && !one.form.as_json;
           return !one.required || (is_in_query(one) && !one.form.as_json);
         });
}

std::string uri_of(std::string_view upstream, std::string_view location) {
  return fmt::format("openapi://{}{}", upstream, location);
}

DefinedResource define_resource(const OpenapiDocument& document, json::NodeId at,
                                std::string_view upstream, const OpenapiOperation& operation) {
  std::string location;
  for (const auto& piece : operation.pieces) {
    location += piece.text;
    if (piece.parameter) {
      location += fmt::format("{{{}}}", operation.parameters[*piece.parameter].argument);
    }
  }
  std::string query;
  for (const auto& one : operation.parameters) {
    if (!is_in_query(one) || one.form.as_json) continue;
    query += (query.empty() ? "" : ",") + net::percent_encode(one.name);
  }
  if (!query.empty()) location += fmt::format("{{?{}}}", query);
  const bool fixed = location.find('{') == std::string::npos;
  DefinedResource made{fixed ? mcp::ItemKind::resource : mcp::ItemKind::resource_template,
                       {uri_of(upstream, location), {}}};
  json::Object item(made.item.definition);
  item.raw(mcp::info(made.kind).key, json::quote(made.item.key));
  item.raw("name", json::quote(operation.name));
  if (const auto title = document.string(at, "summary"); !title.empty()) {
    item.raw("title", json::quote(title));
  }
  if (const auto text = description_of(document, at); !text.empty()) {
    item.raw("description", json::quote(text));
  }
  if (const auto media = promised_media(document, at); !media.empty()) {
    item.raw("mimeType", json::quote(media));
  }
  item.end();
  return made;
}

Result<std::optional<std::string>> arguments_of_uri(const OpenapiOperation& operation,
                                                    std::string_view upstream,
                                                    std::string_view uri) {
  const auto base = uri_of(upstream, "");
  if (!uri.starts_with(base)) return std::optional<std::string>();
  uri.remove_prefix(base.size());
  const auto mark = std::min(uri.find('?'), uri.size());
  Matcher matcher(operation);
  auto matches = matcher.take_path(uri.substr(0, mark));
  if (!matches) return matches.error();
  if (!*matches) return std::optional<std::string>();
  auto queried = matcher.take_query(uri.substr(std::min(mark + 1, uri.size())));
  if (!queried) return queried.error();
  return std::optional(matcher.take());
}

}  // namespace patchbay::upstreams
