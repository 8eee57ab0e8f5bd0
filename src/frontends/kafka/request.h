// One request from the bus in progress: its content, and how its caller receives progress and
// questions meanwhile.
//
// Confined to the worker of its frontend.
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

// The content of a request record.
struct BusRequest {
  std::string arguments;             // Raw JSON of an object.
  int index = 0;                     // `requestIndex`: the number of the request within its call.
  bool enveloped = false;            // The request was in an envelope.
  trace::OwnedContext context = {};  // From the headers of the record.
};

// What is sent to the caller.
struct BusReply {
  std::string value;
  bool is_mcp = false;      // The value holds a result of MCP.
  std::string parent = {};  // The traceparent of a question, which the caller continues.
};

// Code::invalid_params says why it cannot be understood.
Result<BusRequest> read_bus_request(const bus::OwnedMessage& record);

// Values of replies. The last one holds the result of MCP, or the reason for its absence.
std::string failed_reply(int index, std::string_view message);
std::string final_reply(int index, const mcp::Reply& outcome);

// The message of an outcome that is an error.
std::string message_of(const mcp::Reply& outcome);

// The upstream was unavailable or was lost: another attempt may succeed.
bool is_worth_another_try(const mcp::Reply& outcome);

class KafkaRequest final : public gateway::Peer {
 public:
  using Send = std::function<Task<void>(BusReply reply)>;

  // REQUIRES: all outlive the request.
  KafkaRequest(gateway::McpServer& server, const ServedTool& tool, const BusRequest& asked,
               std::string id, std::int64_t offset, Send send);

  // Calls the tool, once. A further time is linked to the one before.
  Task<mcp::Reply> run();

  // Waits until the notifications have been sent.
  Task<void> flush();

  // Whether it belongs to the record at that offset.
  bool is_from(std::int64_t offset) const { return offset == offset_; }

  // Another request of the same call has arrived. It answers the caller's question if one is open;
  // otherwise it is a duplicate. REQUIRES: `content` is raw JSON.
  void take_answer(std::string_view content);

  int index() const { return index_; }

 private:
  void notify(std::string_view method, std::string_view params) override;
  void ask(std::string_view method, std::string_view params, gateway::Answer answer) override;
  Task<void> notify(BusReply reply);

  gateway::McpServer& server_;
  const ServedTool& tool_;
  const BusRequest& asked_;
  const std::string id_;
  const std::int64_t offset_;
  const Send send_;
  int index_;
  trace::SpanContext last_;  // Of the latest call; not valid before the first.
  gateway::Answer waiting_;  // For an answer of the caller.
  Scope notifying_;
};

}  // namespace patchbay::frontends
