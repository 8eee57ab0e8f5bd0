// One request from the bus in progress: what it asks, and how its caller receives progress and
// questions meanwhile.
//
// Confined to the worker of its front end.
#pragma once

#include <functional>
#include <string>
#include <string_view>

#include "async/scope.h"
#include "bus/record.h"
#include "frontends/kafka/served_tool.h"
#include "frontends/synthetic_request.h"
#include "gateway/call/make_call.h"
#include "gateway/server.h"

namespace patchbay::frontends {

// What a record asks.
struct BusRequest {
  std::string arguments;   // Raw JSON of an object.
  int index = 0;           // Of the requests of one call.
  bool enveloped = false;  // It came in an envelope.
};

// Code::invalid_params says why it cannot be understood.
Result<BusRequest> read_bus_request(const bus::OwnedMessage& record);

// Values of replies. The last one holds the result of MCP, or says why there is none.
std::string failed_reply(int index, std::string_view message);
std::string final_reply(int index, const mcp::Reply& outcome);

// What an outcome that is an error says.
std::string message_of(const mcp::Reply& outcome);

// The upstream could not answer, or broke: it may be able to the next time.
bool is_worth_another_try(const mcp::Reply& outcome);

class KafkaRequest final : public gateway::Peer {
 public:
  using Send = std::function<Task<void>(std::string value, bool is_mcp)>;

  // REQUIRES: all outlive the request.
  KafkaRequest(gateway::McpServer& server, const ServedTool& tool, const BusRequest& asked,
               std::string id, std::int64_t offset, Send send);

  // Calls the tool, once.
  Task<mcp::Reply> run();

  // Waits until the notifications have been sent.
  Task<void> flush();

  // Whether it is of the record at that offset.
  bool is_from(std::int64_t offset) const { return offset == offset_; }

  // Another request of the same call has come: it answers what the caller was asked, if it was, and
  // else is the same once more. REQUIRES: `content` is raw JSON.
  void take_answer(std::string_view content);

  int index() const { return index_; }

 private:
  void notify(std::string_view method, std::string_view params) override;
  void ask(std::string_view method, std::string_view params, gateway::Answer answer) override;
  Task<void> notify(std::string value);

  gateway::McpServer& server_;
  const ServedTool& tool_;
  const BusRequest& asked_;
  const std::string id_;
  const std::int64_t offset_;
  const Send send_;
  int index_;
  gateway::Answer waiting_;  // For an answer of the caller.
  Scope telling_;
};

}  // namespace patchbay::frontends
