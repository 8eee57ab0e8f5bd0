#include "mcp/content.h"

#include <fmt/format.h>

#include "json/read.h"
#include "mcp/message.h"

namespace patchbay::mcp {
namespace {

// `_meta` and titles on objects, links to resources, annotations.lastModified.
constexpr Revision kRichObjects = Revision::v2025_06_18;
constexpr Revision kAudio = Revision::v2025_03_26;
constexpr Revision kIcons = Revision::v2025_11_25;
constexpr Revision kAnyStructured = Revision::v2026_07_28;

bool supports(Revision to, std::string_view type) {
  if (type == "audio") return to >= kAudio;
  return type != "resource_link" || to >= kRichObjects;
}

std::string note_of(std::string_view block, std::string_view type, Revision to) {
  const auto text = [&](std::string_view key) {
    return json::string_member(block, key).value_or("");
  };
  if (type == "audio") {
    return fmt::format("[audio of type {} left out: revision {} has none]", text("mimeType"),
                       info(to).name);
  }
  std::string note = fmt::format("{}: {}", text("name"), text("uri"));
  if (const auto description = text("description"); !description.empty()) {
    note += '\n';
    note += description;
  }
  return note;
}

// The audience of the block is preserved.
std::string as_text(std::string_view block, std::string_view type, Revision to) {
  std::string out = text_block(note_of(block, type, to));
  if (const auto annotations = json::member(block, "annotations")) {
    json::Edit edit(*annotations);
    shape_annotations(edit, to);
    out.pop_back();
    out += ",\"annotations\":";
    out += edit.changed() ? edit.result() : std::string(*annotations);
    out += '}';
  }
  return out;
}

// The resource inside a block.
void shape_embedded(json::Edit& edit, Revision to) {
  edit.members(
      [&](std::string_view key) { return edit.keep_if(key != "_meta" || to >= kRichObjects); });
}

}  // namespace

void shape_annotations(json::Edit& edit, Revision to) {
  edit.members([&](std::string_view key) {
    return edit.keep_if(key != "lastModified" || to >= kRichObjects);
  });
}

void shape_block(json::Edit& edit, Revision to) {
  const auto begin = edit.mark();
  std::string type;
  edit.members([&](std::string_view key) {
    if (key == "type") {
      type = json::as_string(edit.take()).value_or("");
      return true;
    }
    if (key == "_meta") return edit.keep_if(to >= kRichObjects);
    if (key == "icons") return edit.keep_if(to >= kIcons);
    if (key == "annotations") return shape_annotations(edit, to), true;
    if (key == "resource") return shape_embedded(edit, to), true;
    if (key == "content") return shape_blocks(edit, to), true;  // Of a tool's result in a message.
    if (key == "structuredContent" && edit.peek() != json::Type::object) {
      return edit.keep_if(to >= kAnyStructured);
    }
    return edit.keep();
  });
  if (supports(to, type)) return;
  std::string note = as_text(edit.since(begin), type, to);
  edit.replace_since(begin, std::move(note));
}

std::size_t shape_blocks(json::Edit& edit, Revision to) {
  if (edit.peek() == json::Type::array) return edit.elements([&] { shape_block(edit, to); });
  shape_block(edit, to);
  return 1;
}

bool shape_meta(json::Edit& edit, Revision to) {
  return !edit.members([&](std::string_view key) { return edit.keep_if(knows_meta(to, key)); })
              .emptied();
}

bool knows_meta(Revision to, std::string_view key) {
  if (!key.starts_with(kMetaPrefix)) return true;
  if (to == Revision::v2025_11_25) return key == kMetaRelatedTask;
  return info(to).stateless && key != kMetaRelatedTask;
}

std::string text_block(std::string_view text) {
  std::string out = "{\"type\":\"text\",\"text\":";
  json::append_quoted(out, text);
  out += '}';
  return out;
}

}  // namespace patchbay::mcp
