// Fuzzes the conversion between revisions: whatever a peer sends, each revision gets one JSON text,
// and a message that already has the right shape is not changed.
#include <initializer_list>

#include "fuzz/require.h"
#include "json/read.h"
#include "mcp/capabilities.h"
#include "mcp/question.h"
#include "mcp/shape.h"
#include "mcp/tasks.h"

namespace {

using namespace patchbay;
using fuzz::require;

bool is_json(std::string_view text) { return static_cast<bool>(json::check(text)); }

void result(std::string_view text, std::string_view method, mcp::Revision to) {
  mcp::Reply reply = mcp::scanned_reply(std::string(text));
  mcp::shape_result(reply, method, to);
  require(is_json(reply.body));
  require(reply.meta_size == 0 || is_json(reply.body.substr(reply.meta_at, reply.meta_size)));
  const std::string once = reply.body;
  mcp::shape_result(reply, method, to);
  require(reply.body == once);
  mcp::Reply again = mcp::scanned_reply(once);
  mcp::shape_result(again, method, to);
  require(reply.is_error || again.body == once);
}

void error(std::string_view text, mcp::Revision from, mcp::Revision to) {
  mcp::Reply reply = mcp::result_reply(std::string(text));
  reply.is_error = true;
  mcp::shape_error(reply, "resources/read", from, to, "file:///x");
  require(is_json(reply.body));
}

void question(std::string_view text, mcp::Revision to) {
  constexpr std::string_view kSome = R"({"sampling":{},"elicitation":{},"roots":{}})";
  constexpr std::string_view kAll =
      R"({"sampling":{"tools":{},"context":{}},"elicitation":{"form":{},"url":{}},"roots":{}})";
  for (const auto method : {"sampling/createMessage", "elicitation/create", "roots/list"}) {
    for (const auto capabilities : {kSome, kAll}) {
      const auto asked = mcp::question_for(to, capabilities, method, text);
      require(!asked || is_json(*asked));
    }
    require(is_json(mcp::answer_for(to, method, text)));
  }
  require(is_json(mcp::client_capabilities(to, mcp::abilities_of(to, text))));
}

void tasks(std::string_view text) {
  const auto list = [](std::string_view id) { return mcp::listed_task("up", id); };
  const auto own = [](std::string_view listed) {
    const auto name = mcp::split_task(listed);
    return std::string(name ? name->id : listed);
  };
  const std::string listed = mcp::with_task_ids(text, list);
  require(is_json(listed));
  // Quoting may change the spelling of an id, never its value.
  require(mcp::with_task_ids(mcp::with_task_ids(listed, own), list) == listed);
  require(is_json(mcp::with_related_task(text, "up:1")));
  const mcp::Reply outcome = mcp::scanned_reply(std::string(text));
  require(is_json(mcp::stateless_created_task(text)));
  require(is_json(mcp::session_created_task(text)));
  require(is_json(mcp::stateless_task(text, {.outcome = &outcome, .input_requests = text})));
  require(is_json(mcp::session_task(text)));
  const auto inside = mcp::outcome_of(text);
  require(!inside || is_json(inside->body));
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const auto text = fuzz::text_of(data, size);
  if (!is_json(text)) return 0;
  for (const auto& revision : mcp::kRevisions) {
    const mcp::Revision to = *mcp::find_revision(revision.name);
    for (std::size_t i = 0; i < mcp::kItems.size(); ++i) {
      const auto kind = static_cast<mcp::ItemKind>(i);
      const std::string item = mcp::item_for(to, kind, text);
      require(is_json(item) && mcp::item_for(to, kind, item) == item);
    }
    for (const auto method : {"tools/call", "prompts/get", "resources/read"}) {
      result(text, method, to);
    }
    error(text, mcp::kNewest, to);
    error(text, mcp::kNewestSessionBased, to);
    question(text, to);
    require(is_json(mcp::notice_for(to, "notifications/progress", text)));
  }
  tasks(text);
  return 0;
}
