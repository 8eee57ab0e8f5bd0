#include "gateway/tool_schemas.h"

#include <fmt/format.h>

#include "json/read.h"
#include "observe/log.h"

namespace patchbay::gateway {
namespace {

std::string schema_in(std::string_view definition, std::string_view key) {
  return std::string(json::member(definition, key).value_or(""));
}

}  // namespace

ToolSchemas::ToolSchemas(std::string name, std::string_view definition)
    : name_(std::move(name)),
      arguments_{schema_in(definition, "inputSchema")},
      result_{schema_in(definition, "outputSchema")} {}

const json::Schema* ToolSchemas::compiled(const Lazy& lazy, std::string_view what) const {
  if (lazy.text.empty()) return nullptr;
  std::call_once(lazy.once, [&] {
    auto made = json::Schema::compile(lazy.text);
    if (made) {
      lazy.schema = *std::move(made);
      return;
    }
    log::Line(log::Level::warn, "schema not usable")
        .add("tool", name_)
        .add("of", what)
        .add("why", made.error().message);
  });
  return lazy.schema.get();
}

Result<void> ToolSchemas::check_arguments(std::string_view arguments) const {
  const auto* const schema = compiled(arguments_, "arguments");
  return schema ? schema->validate(arguments) : ok();
}

Result<void> ToolSchemas::check_result(std::string_view result) const {
  const auto* const schema = compiled(result_, "result");
  if (!schema) return ok();
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
