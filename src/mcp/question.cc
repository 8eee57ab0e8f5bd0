#include "mcp/question.h"

#include <fmt/format.h>

#include "core/ids.h"
#include "json/edit.h"
#include "json/read.h"
#include "json/write.h"
#include "mcp/capabilities.h"
#include "mcp/content.h"
#include "mcp/elicitation_form.h"
#include "mcp/items.h"
#include "mcp/methods.h"
#include "mcp/shape.h"

namespace patchbay::mcp {
namespace {

constexpr Revision kContentLists = Revision::v2025_11_25;  // Several blocks in one message; tools.
constexpr std::size_t kElicitationIdBytes = 16;

// A request of a server to a client, being converted.
class Question {
 public:
  Question(Revision to, const Abilities& can, std::string_view method, std::string_view params)
      : to_(to), can_(can), method_(method), params_(params), edit_(params) {}

  Result<std::string> run() {
    if (method_ == "elicitation/create") {
      elicitation();
    } else if (method_ == "sampling/createMessage") {
      if (!can_.sampling) refuse("sampling");
      edit_.members([this](std::string_view key) { return sampling_member(key); });
    } else {
      if (!can_.roots) refuse("roots");
      edit_.members([this](std::string_view key) { return common_member(key); });
    }
    if (!refused_.empty()) {
      return Error{Code::method_not_found, fmt::format("the client does not offer {}", refused_)};
    }
    return edit_.changed() ? edit_.result() : std::string(params_);
  }

 private:
  void refuse(std::string_view what) {
    if (refused_.empty()) refused_ = what;
  }

  // Tasks of clients are not supported, and the progress of an answer cannot be forwarded without a
  // session.
  bool common_member(std::string_view key) {
    if (key == "task") return edit_.drop();
    if (key != "_meta") return edit_.keep();
    const auto meta = edit_.members([this](std::string_view name) {
      const bool token = name == "progressToken" && info(to_).stateless;
      return edit_.keep_if(!token && knows_meta(to_, name));
    });
    return !meta.emptied();
  }

  void elicitation() {
    const bool url = json::string_member(params_, "mode") == "url";
    if (!(url ? can_.url : can_.form)) {
      return refuse(url ? "elicitation by URL" : "elicitation by form");
    }
    bool has_id = false;
    const auto top = edit_.members([&](std::string_view key) {
      if (key == "mode" && to_ < Revision::v2025_11_25) return edit_.drop();
      if (key == "elicitationId") {
        has_id = true;
        return edit_.keep_if(!info(to_).stateless);
      }
      if (key == "requestedSchema" && to_ < Revision::v2025_11_25) {
        if (!shape_form(edit_)) refuse("a choice of several values");
        return true;
      }
      return common_member(key);
    });
    // A stateless server omits it; a session requires it.
    if (url && !has_id && !info(to_).stateless) {
      edit_.add(top, fmt::format("\"elicitationId\":\"{}\"", random_hex(kElicitationIdBytes)));
    }
  }

  bool sampling_member(std::string_view key) {
    if (key == "toolChoice") return edit_.keep_if(can_.sampling_tools);
    if (key == "tools") return can_.sampling_tools ? tools() : edit_.drop();
    if (key == "includeContext" && !can_.sampling_context) {
      const std::string_view raw = edit_.take();
      if (raw != "\"none\"") edit_.replace(raw, "\"none\"");
      return true;
    }
    if (key != "messages") return common_member(key);
    edit_.elements([this] { message(); });
    return true;
  }

  bool tools() {
    edit_.elements([this] {
      const std::string_view raw = edit_.take();
      std::string tool = item_for(to_, ItemKind::tool, raw);
      if (tool != raw) edit_.replace(raw, std::move(tool));
    });
    return true;
  }

  void message() {
    const auto begin = edit_.mark();
    bool list = false;
    edit_.members([&](std::string_view key) {
      if (key == "_meta") return edit_.keep_if(to_ >= kContentLists);
      if (key != "content") return edit_.keep();
      const auto content = edit_.mark();
      list = edit_.peek() == json::Type::array;
      shape_blocks(edit_, to_);
      check_blocks(edit_.since(content));
      return true;
    });
    if (list && to_ < kContentLists && refused_.empty()) {
      edit_.replace_since(begin, apart(edit_.since(begin)));
    }
  }

  // Without these blocks the request would have another meaning.
  void check_blocks(std::string_view content) {
    const auto check = [this](std::string_view block) {
      const auto type = json::string_member(block, "type").value_or("");
      if ((type == "tool_use" || type == "tool_result") && !can_.sampling_tools) {
        refuse("sampling with tools");
      }
      if (type == "audio" && to_ < Revision::v2025_03_26) refuse("sampling with audio");
    };
    if (json::type_of(content) == json::Type::object) return check(content);
    json::each_element(content, check);
  }

  // A message with several blocks as several messages of the same role.
  std::string apart(std::string_view message) const {
    const auto role = json::member(message, "role").value_or("\"user\"");
    std::string messages;
    const auto add = [&](std::string_view block) {
      json::Edit edit(block);
      shape_block(edit, to_);
      if (!messages.empty()) messages += ',';
      fmt::format_to(std::back_inserter(messages), "{{\"role\":{},\"content\":{}}}", role,
                     edit.changed() ? edit.result() : std::string(block));
    };
    json::each_element(json::member(message, "content").value_or("[]"), add);
    if (messages.empty()) add(text_block(""));
    return messages;
  }

  const Revision to_;
  const Abilities can_;
  const std::string_view method_;
  const std::string_view params_;
  json::Edit edit_;
  std::string refused_;  // What the client does not support.
};

// Several blocks as the single one of older revisions: their texts, and a note for each that is not
// text.
std::string joined(std::string_view blocks, Revision to) {
  std::vector<std::string_view> all;
  json::each_element(blocks, [&](std::string_view block) { all.push_back(block); });
  if (all.size() == 1) {
    json::Edit edit(all.front());
    shape_block(edit, to);
    return edit.changed() ? edit.result() : std::string(all.front());
  }
  std::string text;
  for (const auto block : all) {
    const auto type = json::string_member(block, "type").value_or("?");
    if (!text.empty()) text += '\n';
    text += type == "text" ? json::string_member(block, "text").value_or("")
                           : fmt::format("[{} left out]", type);
  }
  return text_block(text);
}

}  // namespace

Result<std::string> question_for(Revision to, std::string_view capabilities,
                                 std::string_view method, std::string_view params) {
  const auto* const known = find_client_method(method);
  if (!known || to < known->since) {
    return Error{Code::method_not_found, fmt::format("the client does not offer {}", method)};
  }
  return Question(to, abilities_of(to, capabilities), method, params).run();
}

std::string answer_for(Revision to_server, std::string_view method, std::string_view result) {
  json::Edit edit(result);
  edit.members([&](std::string_view key) {
    if (key == "_meta") return shape_meta(edit, to_server);
    if (key == "resultType") return edit.keep_if(info(to_server).stateless);
    if (key == "content" && method == "sampling/createMessage") {
      const auto begin = edit.mark();
      const bool list = edit.peek() == json::Type::array;
      shape_blocks(edit, to_server);
      if (list && to_server < kContentLists) {
        edit.replace_since(begin, joined(edit.since(begin), to_server));
      }
      return true;
    }
    if (key == "roots" && to_server < Revision::v2025_06_18) {
      edit.elements([&] {
        edit.members([&](std::string_view name) { return edit.keep_if(name != "_meta"); });
      });
      return true;
    }
    return edit.keep();
  });
  return edit.changed() ? edit.result() : std::string(result);
}

std::optional<std::string> url_questions(std::string_view error) {
  if (json::member(error, "code") != "-32042") return std::nullopt;
  const auto data = json::member(error, "data").value_or("{}");
  std::string requests;
  int count = 0;
  json::each_element(json::member(data, "elicitations").value_or("[]"), [&](std::string_view one) {
    const auto url = json::member(one, "url");
    if (!url) return;
    requests += fmt::format(
        R"({}"url-{}":{{"method":"elicitation/create","params":{{"mode":"url","message":{},"url":{}}}}})",
        requests.empty() ? "" : ",", ++count, json::member(one, "message").value_or("\"\""), *url);
  });
  if (requests.empty()) return std::nullopt;
  return fmt::format(R"({{"resultType":"input_required","inputRequests":{{{}}}}})", requests);
}

}  // namespace patchbay::mcp
