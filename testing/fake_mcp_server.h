// An MCP server for tests, at the far end of a MemoryChannel. It answers the handshake, lists and
// pings by itself; other requests wait until the test answers them.
//
// Confined to the executor of the test.
#pragma once

#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

#include "mcp/message.h"
#include "mcp/revision.h"
#include "testing/memory_channel.h"

namespace patchbay::testing {

class FakeMcpServer final : transport::Channel::Listener {
 public:
  struct Request {
    std::string id;  // Raw.
    std::string method;
    std::string params;  // Raw.
  };

  // How it behaves.
  struct Traits {
    bool stateless = false;
    bool silent_to_discover = false;  // Ignores server/discover instead of refusing it.
    std::string capabilities = R"({"tools":{}})";
    std::string tools = R"([{"name":"work","inputSchema":{}}])";
  };

  explicit FakeMcpServer(MemoryChannel& channel) : FakeMcpServer(channel, Traits()) {}
  FakeMcpServer(MemoryChannel& channel, Traits traits)
      : channel_(channel), traits_(std::move(traits)) {
    channel_.start(*this);
  }

  // Everything that it has received: the methods, in order.
  std::vector<std::string> methods;
  std::vector<std::string> texts;
  bool closed = false;

  std::size_t count(std::string_view method) const {
    return static_cast<std::size_t>(std::ranges::count(methods, method));
  }

  // Requests without an answer, the oldest first.
  std::vector<Request> open;

  // Answers the oldest open request.
  void answer(std::string_view result) {
    const Request request = open.front();
    open.erase(open.begin());
    reply(request.id, result);
  }

  void reply(std::string_view id, std::string_view result) {
    send(R"({"jsonrpc":"2.0","id":)" + std::string(id) + R"(,"result":)" + std::string(result) +
         "}");
  }

  void send(std::string text) {
    auto sent = channel_.send(std::move(text));
    if (!sent) ++refused;
  }

  int refused = 0;  // Messages that the channel did not take.

  void die(std::string why) { channel_.end_sending(std::move(why)); }

 private:
  void on_message(std::string_view text, std::uint64_t) override {
    mcp::Message message;
    auto parsed = mcp::parse(text, message);
    texts.emplace_back(text);
    if (!parsed) return;
    methods.emplace_back(message.method);
    if (message.kind != mcp::Message::Kind::request) return;
    if (message.method == "server/discover") return discover(message.id);
    if (message.method == "initialize") {
      return reply(message.id, R"({"protocolVersion":"2025-11-25","capabilities":)" +
                                   traits_.capabilities +
                                   R"(,"serverInfo":{"name":"fake","version":"1"}})");
    }
    if (message.method == "tools/list") {
      return reply(message.id, R"({"tools":)" + traits_.tools + "}");
    }
    if (message.method == "ping") return reply(message.id, "{}");
    open.push_back(
        {std::string(message.id), std::string(message.method), std::string(message.raw_params)});
  }

  void discover(std::string_view id) {
    if (traits_.silent_to_discover) return;
    if (traits_.stateless) {
      return reply(id, R"({"supportedVersions":["2026-07-28"],"capabilities":)" +
                           traits_.capabilities + "}");
    }
    send(R"({"jsonrpc":"2.0","id":)" + std::string(id) +
         R"(,"error":{"code":-32601,"message":"Method not found"}})");
  }

  void on_closed(const std::string&) override { closed = true; }

  MemoryChannel& channel_;
  const Traits traits_;
};

}  // namespace patchbay::testing
