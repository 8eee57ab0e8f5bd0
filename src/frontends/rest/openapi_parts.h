// The small parts of operations in the OpenAPI document, and the large parts that are the same for
// every catalog.
//
// Pure.
#pragma once

#include <array>
#include <string>
#include <string_view>

namespace patchbay::frontends {

// Raw members of `paths`, `components` and `components.schemas` of every document, and the names of
// their operations.
extern const std::string_view kFixedPaths;
extern const std::string_view kFixedComponents;
extern const std::string_view kFixedSchemas;
inline constexpr std::array<std::string_view, 9> kFixedNames{
    "list_agents",     "list_tools",     "show_tool",     "call_tool", "answer_call",
    "answer_question", "list_resources", "read_resource", "health"};

// The raw `responses` of a tool whose result fits the raw schema `result`.
std::string tool_responses(std::string_view result);

// The raw `responses` of a resource of that type; empty if it is not known.
std::string resource_responses(std::string_view type, bool head);

// Letters, digits, `_` and `-`; anything else becomes `_`.
std::string identifier(std::string_view text);

// The path of a URI template: each expression is one parameter, and all other text is encoded.
struct TemplatePath {
  std::string path;
  std::string parameters;  // A raw list of parameter objects.
};
TemplatePath template_path(std::string_view uri_template);

// A path with every parameter as `{}`: two that are then equal are ambiguous.
std::string without_names(std::string_view path);

}  // namespace patchbay::frontends
