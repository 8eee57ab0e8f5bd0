#include <fmt/format.h>

#include "json/read.h"
#include "mcp/content.h"
#include "mcp/shape.h"

namespace patchbay::mcp {
namespace {

constexpr Revision kStructured = Revision::v2025_06_18;

bool has_content(std::string_view method) {
  return method == "tools/call" || method == "prompts/get" || method == "resources/read";
}

std::string_view meta_of(const Reply& reply) {
  return std::string_view(reply.body).substr(reply.meta_at, reply.meta_size);
}

// Top-level members of a result that only the stateless revision has, or no longer has.
bool has_foreign_top(const Reply& reply, Revision to) {
  const std::string_view meta = meta_of(reply);
  if (info(to).stateless) return meta.find(kMetaRelatedTask) != std::string_view::npos;
  return reply.type != ResultType::none || reply.has_hints || reply.is_loose ||
         meta.find(kMetaPrefix) != std::string_view::npos;
}

bool needs_a_look(const Reply& reply, std::string_view method, Revision to) {
  if (has_foreign_top(reply, to)) return true;
  if (to >= Revision::v2025_11_25 || !has_content(method)) return false;
  // Two revisions differ only in icons here.
  return to < Revision::v2025_06_18 || reply.body.find("\"icons\"") != std::string::npos;
}

class ResultShape {
 public:
  ResultShape(std::string_view body, std::string_view method, Revision to)
      : edit_(body), method_(method), to_(to) {}

  void run() {
    const auto top = edit_.members([this](std::string_view key) { return member(key); });
    if (structure_.empty() || blocks_ > 0) return;
    // Structured content without a text is also rendered as text.
    std::string content = fmt::format("[{}]", text_block(structure_));
    if (content_.empty()) {
      edit_.add(top, "\"content\":" + content);
    } else {
      edit_.replace(content_, std::move(content));
    }
  }

  json::Edit& edit() { return edit_; }

  // The position of `_meta` in the new body.
  void move_meta(Reply& reply) const {
    const std::size_t begin = has_meta_ ? edit_.moved(reply.meta_at) : 0;
    const std::size_t end = has_meta_ ? edit_.moved(reply.meta_at + reply.meta_size) : 0;
    reply.meta_at = begin;
    reply.meta_size = end - begin;
  }

  // The type of the result, if `to` does not have it.
  const std::string& foreign_type() const { return type_; }

 private:
  bool member(std::string_view key) {
    if (key == "_meta") return has_meta_ = shape_meta(edit_, to_);
    if (info(to_).stateless) return edit_.keep();
    if (key == "ttlMs" || key == "cacheScope") return edit_.drop();
    if (key == "resultType") {
      type_ = json::as_string(edit_.take()).value_or("?");
      if (type_ == "complete") type_.clear();
      return false;
    }
    if (method_ == "tools/call") return tool_member(key);
    if (method_ == "prompts/get" && key == "messages") return messages();
    if (method_ == "resources/read" && key == "contents") return contents();
    return edit_.keep();
  }

  bool tool_member(std::string_view key) {
    if (key == "content") {
      const auto begin = edit_.mark();
      blocks_ = shape_blocks(edit_, to_);
      content_ = edit_.since(begin);
      return true;
    }
    if (key != "structuredContent") return edit_.keep();
    const bool known = to_ >= kStructured && edit_.peek() == json::Type::object;
    const std::string_view raw = edit_.take();
    if (!known) structure_ = raw;
    return known;
  }

  bool messages() {
    edit_.elements([this] {
      edit_.members([this](std::string_view key) {
        if (key != "content") return edit_.keep();
        shape_blocks(edit_, to_);
        return true;
      });
    });
    return true;
  }

  bool contents() {
    edit_.elements([this] {
      edit_.members([this](std::string_view key) {
        return edit_.keep_if(key != "_meta" || to_ >= kStructured);
      });
    });
    return true;
  }

  json::Edit edit_;
  const std::string_view method_;
  const Revision to_;
  std::string type_;
  std::string_view structure_;  // structuredContent that was dropped.
  std::string_view content_;
  std::size_t blocks_ = 0;
  bool has_meta_ = false;
};

}  // namespace

void shape_result(Reply& reply, std::string_view method, Revision to) {
  if (reply.is_error || !needs_a_look(reply, method, to)) return;
  ResultShape shape(reply.body, method, to);
  shape.run();
  if (!shape.foreign_type().empty()) {
    reply = error_reply({Code::upstream_failed,
                         fmt::format("the upstream answered with a result of type '{}', which "
                                     "revision {} does not know",
                                     shape.foreign_type(), info(to).name)});
    return;
  }
  if (!info(to).stateless) {
    reply.type = ResultType::none;
    reply.has_hints = reply.is_loose = false;
  }
  if (!shape.edit().changed()) return;
  shape.move_meta(reply);
  shape.edit().apply_to(reply.body);
}

std::string notice_for(Revision to, std::string_view method, std::string_view params) {
  json::Edit edit(params);
  const bool progress = method == "notifications/progress";
  edit.members([&](std::string_view key) {
    if (key == "_meta") return shape_meta(edit, to);
    return edit.keep_if(!progress || key != "message" || to >= Revision::v2025_03_26);
  });
  return edit.changed() ? edit.result() : std::string(params);
}

}  // namespace patchbay::mcp
