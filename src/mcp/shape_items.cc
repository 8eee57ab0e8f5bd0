#include <algorithm>
#include <array>

#include "json/read.h"
#include "mcp/content.h"
#include "mcp/shape.h"

namespace patchbay::mcp {
namespace {

// Which revisions have a field. Fields that are not listed exist in every revision, or are unknown.
struct FieldSpan {
  std::string_view key;
  bool tools_only;
  Revision since;
  Revision until;
};
constexpr std::array kFieldSpans{
    FieldSpan{"title", false, Revision::v2025_06_18, kNewest},
    FieldSpan{"_meta", false, Revision::v2025_06_18, kNewest},
    FieldSpan{"icons", false, Revision::v2025_11_25, kNewest},
    FieldSpan{"annotations", true, Revision::v2025_03_26, kNewest},
    FieldSpan{"outputSchema", true, Revision::v2025_06_18, kNewest},
    FieldSpan{"execution", true, Revision::v2025_11_25, Revision::v2025_11_25},
};

bool has_field(Revision revision, ItemKind kind, std::string_view key) {
  return std::ranges::none_of(kFieldSpans, [&](const FieldSpan& span) {
    return span.key == key && (kind == ItemKind::tool || !span.tools_only) &&
           (revision < span.since || revision > span.until);
  });
}

// Before 2026-07-28 the schema of each property is an object, so `true` and `false` are written in
// their long form.
bool shape_schema(json::Edit& edit) {
  edit.members([&](std::string_view key) {
    if (key != "properties") return edit.keep();
    edit.members([&](std::string_view) {
      if (edit.peek() != json::Type::boolean) return edit.keep();
      const std::string_view anything = edit.take();
      edit.replace(anything, anything == "true" ? "{}" : "{\"not\":{}}");
      return true;
    });
    return true;
  });
  return true;
}

// Before 2026-07-28 a tool's structured output is an object, and its schema must state that.
bool shape_output_schema(json::Edit& edit) {
  const auto begin = edit.mark();
  std::string type;
  edit.members([&](std::string_view key) {
    if (key != "type") return edit.keep();
    type = json::as_string(edit.take()).value_or("");
    return true;
  });
  if (type != "object") return false;
  json::Edit inner(edit.since(begin));
  shape_schema(inner);
  if (inner.changed()) edit.replace_since(begin, inner.result());
  return true;
}

bool shape_arguments(json::Edit& edit, Revision to) {
  edit.elements([&] {
    edit.members([&](std::string_view key) {
      return edit.keep_if(key != "title" || to >= Revision::v2025_06_18);
    });
  });
  return true;
}

}  // namespace

std::string item_for(Revision to, ItemKind kind, std::string_view definition) {
  json::Edit edit(definition);
  const bool tool = kind == ItemKind::tool;
  edit.members([&](std::string_view key) {
    if (!has_field(to, kind, key)) return edit.drop();
    if (tool && !info(to).stateless) {
      if (key == "inputSchema") return shape_schema(edit);
      if (key == "outputSchema") return shape_output_schema(edit);
    }
    if (kind == ItemKind::prompt && key == "arguments") return shape_arguments(edit, to);
    if (!tool && key == "annotations") return shape_annotations(edit, to), true;
    return edit.keep();
  });
  return edit.changed() ? edit.result() : std::string(definition);
}

}  // namespace patchbay::mcp
