#include "frontends/rest/openapi_parts.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "core/http_token.h"
#include "json/write.h"
#include "net/http/syntax/percent.h"

namespace patchbay::frontends {
namespace {

// The responses of components that tools and resources share, by status.
struct Shared {
  std::string_view status;
  std::string_view name;
  bool tool;
  bool resource;
};
constexpr std::array kShared{
    Shared{"202", "Question", true, false},   Shared{"400", "BadRequest", true, true},
    Shared{"404", "NotFound", true, true},    Shared{"406", "NotAcceptable", true, true},
    Shared{"412", "Changed", false, true},    Shared{"413", "TooLarge", true, false},
    Shared{"415", "WrongType", true, false},  Shared{"416", "NoSuchRange", false, true},
    Shared{"422", "ToolFailed", true, false}, Shared{"502", "UpstreamFailed", true, true},
    Shared{"503", "Unavailable", true, true}, Shared{"504", "Timeout", true, true},
};

void add_shared(json::Object& responses, bool Shared::* wanted) {
  for (const auto& one : kShared) {
    if (!(one.*wanted)) continue;
    responses.raw(one.status, fmt::format(R"({{"$ref":"#/components/responses/{}"}})", one.name));
  }
}

bool is_name_character(char c) {
  const char lower = lower_case(c);
  return (c >= '0' && c <= '9') || (lower >= 'a' && lower <= 'z') || c == '_' || c == '-';
}

// The variables of an expression, without operator and modifiers.
std::string variables_of(std::string_view expression) {
  const auto begin = expression.find_first_not_of("+#./;?&");
  if (begin == std::string_view::npos) return "";
  const std::string name = identifier(expression.substr(begin));
  return name.substr(0, name.find_last_not_of('_') + 1);
}

}  // namespace

std::string identifier(std::string_view text) {
  std::string name(text);
  std::ranges::replace_if(name, [](char c) { return !is_name_character(c); }, '_');
  return name;
}

std::string tool_responses(std::string_view result) {
  std::string text;
  json::Object responses(text);
  responses.raw("200",
                fmt::format(R"({{"description":"What the tool answers.","content":{{)"
                            R"("application/json":{{"schema":{}}},"text/event-stream":{{"schema":)"
                            R"({{"type":"string","description":"Events progress, log and partial, )"
                            R"(then result, input_required or error."}}}}}}}})",
                            result));
  add_shared(responses, &Shared::tool);
  responses.end();
  return text;
}

std::string resource_responses(std::string_view type, bool head) {
  // A resource that is JSON is served as it is or in the whole form, and no schema fits both.
  const bool json_itself = type == "application/json";
  const bool known = type.contains('/') && !json_itself;
  const std::string own = known ? fmt::format("{}:{{\"schema\":{{}}}},", json::quote(type)) : "";
  const std::string content =
      fmt::format(R"(,"content":{{{}"application/json":{{"schema":{}}}}})", own,
                  json_itself ? "{}" : R"({"$ref":"#/components/schemas/ResourceForm"})");
  std::string text;
  json::Object responses(text);
  responses.raw("200",
                fmt::format(R"({{"description":"The content.","headers":{{"ETag":{{"schema":{{)"
                            R"("type":"string"}}}}}}{}}})",
                            head ? "" : content));
  responses.raw("204", R"({"description":"It is there, without content."})");
  if (!head) responses.raw("206", R"({"description":"The range that was asked for."})");
  responses.raw("304", R"({"description":"The client has it already."})");
  add_shared(responses, &Shared::resource);
  responses.end();
  return text;
}

TemplatePath template_path(std::string_view uri_template) {
  TemplatePath made;
  std::set<std::string> names;
  while (!uri_template.empty()) {
    const auto open = uri_template.find('{');
    made.path += net::percent_encode(uri_template.substr(0, open));
    const auto close = uri_template.find('}', open);
    if (open == std::string_view::npos || close == std::string_view::npos) break;
    std::string name = variables_of(uri_template.substr(open + 1, close - open - 1));
    if (name.empty()) name = "value";
    while (!names.insert(name).second) name += '_';
    made.path += fmt::format("{{{}}}", name);
    made.parameters +=
        fmt::format(R"({}{{"name":{},"in":"path","required":true,"schema":{{"type":"string"}}}})",
                    made.parameters.empty() ? "[" : ",", json::quote(name));
    uri_template.remove_prefix(close + 1);
  }
  if (!made.parameters.empty()) made.parameters += ']';
  return made;
}

std::string without_names(std::string_view path) {
  std::string out;
  while (!path.empty()) {
    const auto open = path.find('{');
    out += path.substr(0, open);
    if (open == std::string_view::npos) break;
    out += "{}";
    path.remove_prefix(path.find('}', open) + 1);
  }
  return out;
}

}  // namespace patchbay::frontends
