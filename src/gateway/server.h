// The McpServer answers the clients of every MCP frontend: the handshake itself, calls through the
// pipeline, and calls that may have to ask a client without a session through ParkedCalls.
//
// One per worker; confined to it.
#pragma once

#include <chrono>
#include <optional>
#include <string>
#include <string_view>

#include "async/task.h"
#include "gateway/call/identity.h"
#include "gateway/pipeline.h"
#include "mcp/methods.h"
#include "mcp/reply.h"
#include "mcp/revision.h"

namespace patchbay::gateway {

class ParkedCalls;

class McpServer {
 public:
  // How long a call may take without progress and in total, how long its client has to answer a
  // question, and how long a request may wait for the result of a task.
  struct Times {
    std::chrono::milliseconds call;
    std::chrono::milliseconds total;
    std::chrono::milliseconds question;
    std::chrono::milliseconds task;
  };

  // The gateway's own instructions, the maximum length with those of upstreams, and how long a
  // handshake waits for upstreams that are starting.
  struct Instructions {
    std::string own = {};
    std::size_t most = 0;
    std::chrono::nanoseconds wait{0};
  };

  // REQUIRES: the pipeline outlives the server.
  McpServer(Pipeline& pipeline, const Times& times);

  // Where calls of clients without sessions run that can answer questions. Set once, if at all.
  void set_parked(ParkedCalls& asking) { asking_ = &asking; }

  void set_times(const Times& times) { times_ = times; }
  void set_instructions(Instructions instructions) { instructions_ = std::move(instructions); }

  // The maximum number of messages in a batch, for every frontend that accepts batches.
  void set_max_batch(std::size_t messages) { max_batch_ = messages; }
  std::size_t max_batch() const { return max_batch_; }

  // REQUIRES: nothing is being answered.
  void set_identity(Identity identity);
  const Identity& identity() const { return identity_; }

  // The deadline of a call that begins now.
  Deadline deadline() const { return here().now() + times_.call; }

  // Answers a request. The row of the method has been looked up in the call's revision.
  Task<mcp::Reply> answer(Call& call);

  // The same for a call that is never parked.
  Task<mcp::Reply> answer_at_once(Call& call);

  // The row of the method of a request of `caller`, or why it has none.
  Result<const mcp::Method*> method_of(const mcp::Message& request, mcp::Revision revision,
                                       const Principal& caller) const;

  // Whether `caller` may use the method of `request`. `method` is its row; null: it has none.
  Result<void> check_method(const mcp::Message& request, const mcp::Method* method,
                            const Principal& caller) const;

  // The result of `initialize` in that revision, for that caller.
  Task<std::string> initialize_result(mcp::Revision revision, Caller caller) const;

  // Whether `caller` may open a session now: the number of sessions is limited like calls
  // (limits.rates).
  Result<void> may_initialize(const Principal& caller, std::string_view from) const {
    return pipeline_.count_initialize(caller, from);
  }

  // The revision that an `initialize` request gets.
  Result<mcp::Revision> negotiate(const mcp::Message& initialize) const;

 private:
  std::string capabilities(mcp::Revision revision) const;
  Task<mcp::Reply> answer_alone(const Call& call) const;
  mcp::Reply answer_here(const Call& call) const;
  Task<std::string> discover_result(Caller caller) const;
  // As a member of a result, with a comma before it; empty if there are none.
  Task<std::string> instructions_for(Caller caller) const;

  Pipeline& pipeline_;
  ParkedCalls* asking_ = nullptr;
  Times times_;
  Instructions instructions_;
  std::size_t max_batch_ = 100;
  Identity identity_;
  std::string info_;  // `identity_` as a raw serverInfo.
};

// The client's capabilities in an `initialize` request, raw.
std::string client_capabilities(const mcp::Message& initialize);

// The same for a request without a session.
std::string_view declared_capabilities(const mcp::Message& request);

// Why a client without a session cannot be asked; the missing capability is stored in the call.
Error cannot_be_asked(const Call& call, std::string_view method);

// The level in a logging/setLevel request.
Result<int> asked_level(const mcp::Message& request);

// True if the client of `request` receives a log message with these raw params: a session sets its
// level once (`session_level`), a stateless request states it itself.
bool is_wanted_log(std::string_view params, const mcp::Message& request, mcp::Revision revision,
                   std::optional<int> session_level);

// The raw `requestId` of a notifications/cancelled; empty if it has none.
std::string_view cancelled_id(const mcp::Message& notification);

}  // namespace patchbay::gateway
