// Fuzzes the envelope scan and messages that are spliced from it: whatever a peer sends, the
// forwarded message is one JSON text with our id and no other.
#include "fuzz/require.h"
#include "json/read.h"
#include "mcp/compose.h"
#include "mcp/stateless.h"

using patchbay::fuzz::require;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace patchbay;
  const auto text = fuzz::text_of(data, size);
  mcp::Message message;
  if (!mcp::parse(text, message)) {
    require(message.id.empty() || static_cast<bool>(json::check(message.id)));
    return 0;
  }
  require(static_cast<bool>(json::check(text)));
  if (message.kind == mcp::Message::Kind::response) {
    mcp::Reply reply = mcp::reply_of(message);
    require(static_cast<bool>(json::check(reply.body)));
    mcp::make_stateless(reply, R"({"name":"p"})");
    require(static_cast<bool>(json::check(reply.body)));
    require(static_cast<bool>(json::check(mcp::response(message.id, reply))));
    return 0;
  }
  const std::string sent =
      mcp::forward(message, {.id = "42", .target_key = "name", .target = "tool"});
  mcp::Message arrived;
  require(static_cast<bool>(mcp::parse(sent, arrived)));
  require(arrived.id == "42" && arrived.method == message.method);
  require(arrived.params.size() <= message.params.size());
  const auto* const token = arrived.meta_member("progressToken");
  require(!token || token->raw == "42");
  require(static_cast<bool>(
      json::check(mcp::with_token(message.raw_params.empty() ? "{}" : message.raw_params, "7"))));
  (void)mcp::claimed_revision(message);
  (void)mcp::check_envelope(message);
  return 0;
}
