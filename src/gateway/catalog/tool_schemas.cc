#include "gateway/catalog/tool_schemas.h"

#include <fmt/format.h>

#include <utility>

#include "json/read.h"
#include "observe/log.h"

namespace patchbay::gateway {
namespace {

constexpr std::string_view kArguments = "inputSchema";
constexpr std::string_view kResult = "outputSchema";

std::string schema_in(std::string_view definition, std::string_view key) {
  return std::string(json::member(definition, key).value_or(""));
}

}  // namespace

ToolSchemas::ToolSchemas(std::string name, std::string_view definition)
    : name_(std::move(name)),
      arguments_{schema_in(definition, kArguments)},
      result_{schema_in(definition, kResult)} {}

bool ToolSchemas::are_of(std::string_view definition) const {
  return json::member(definition, kArguments).value_or("") == arguments_.text &&
         json::member(definition, kResult).value_or("") == result_.text;
}

std::string ToolSchemas::unusable() const {
  for (const auto& [lazy, what] : {std::pair(&arguments_, kArguments), {&result_, kResult}}) {
    compiled(*lazy, what);
    if (!lazy->fault.empty()) return fmt::format("{}: {}", what, lazy->fault);
  }
  return "";
}

const json::Schema* ToolSchemas::compiled(const Lazy& lazy, std::string_view what) const {
  if (lazy.text.empty()) return nullptr;
  std::call_once(lazy.once, [&] {
    auto made = json::Schema::compile(lazy.text);
    if (made) {
      lazy.schema = *std::move(made);
      return;
    }
    lazy.fault = made.error().message;
    log::Line(log::Level::warn, "schema not usable")
        .add("tool", name_)
        .add("of", what)
        .add("why", lazy.fault);
  });
  return lazy.schema.get();
}

// The result for a value without a compiled schema.
Result<void> ToolSchemas::unchecked(const Lazy& lazy, std::string_view what, bool refuse) const {
  if (lazy.fault.empty() || !refuse) return ok();
  return Error{Code::upstream_failed,
               fmt::format("{} is not called, since its {} cannot be used: {} (with "
                           "validation.unusable_schemas: pass it is called unchecked)",
                           name_, what, lazy.fault)};
}

Result<void> ToolSchemas::check_arguments(std::string_view arguments, bool refuse_unusable) const {
  const auto* const schema = compiled(arguments_, kArguments);
  return schema ? schema->validate(arguments) : unchecked(arguments_, kArguments, refuse_unusable);
}

Result<void> ToolSchemas::check_result(std::string_view result, bool refuse_unusable) const {
  const auto* const schema = compiled(result_, kResult);
  if (!schema) return unchecked(result_, kResult, refuse_unusable);
  std::string_view structured;
  bool failed = false;
  json::each_member(result, [&](std::string_view key, std::string_view raw) {
    if (key == "structuredContent") structured = raw;
    if (key == "isError") failed = raw == "true";
  });
  if (failed) return ok();
  if (structured.empty()) {
    return Error{Code::upstream_failed,
                 fmt::format("the result of {} lacks the structuredContent it promises", name_)};
  }
  auto fits = schema->validate(structured);
  if (fits) return ok();
  return Error{Code::upstream_failed, fmt::format("the result of {} does not fit its schema: {}",
                                                  name_, fits.error().message)};
}

}  // namespace patchbay::gateway
