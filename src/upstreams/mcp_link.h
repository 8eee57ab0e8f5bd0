// An McpLink speaks MCP as a client over one Channel: the handshake, the tool list, and calls,
// pipelined and matched by ids that we mint. It ends with its channel; a new connection is a new
// link.
//
// Confined to the worker of its channel.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <unordered_map>
#include <vector>

#include "core/wait.h"
#include "gateway/upstream.h"
#include "observe/metrics.h"
#include "transport/channel.h"

namespace patchbay::upstreams {

// What a peer sent that could not be used.
struct LinkCounters {
  LinkCounters(metrics::Registry& registry, std::string_view upstream);

  std::shared_ptr<metrics::Counter> not_json;    // A line that is not JSON.
  std::shared_ptr<metrics::Counter> invalid;     // JSON, but no message.
  std::shared_ptr<metrics::Counter> unknown_id;  // An answer to something never asked.
  std::shared_ptr<metrics::Counter> late;        // An answer after the deadline, or a second one.
  std::shared_ptr<metrics::Counter> refused;     // A request of the server that no client can take.
};

class McpLink final : public transport::Channel::Listener {
 public:
  class Events {
   public:
    virtual void on_items_changed() = 0;
    virtual void on_updated(const std::string& uri) = 0;
    // Nothing works over this link any more.
    virtual void on_link_closed(const std::string& why) = 0;

   protected:
    ~Events() = default;
  };

  // REQUIRES: everything referred to outlives the link.
  McpLink(transport::Channel& channel, Events& events, const LinkCounters& counters);

  // The handshake.
  Task<void> open(Deadline deadline);

  // All pages of all lists that the server has.
  Task<mcp::ItemLists> list_all(Deadline deadline);

  // All pages of one list; empty if the server does not have such items.
  Task<std::vector<mcp::Item>> list(mcp::ItemKind kind, Deadline deadline);

  // Asks to be told of changes to a resource.
  Task<void> subscribe(std::string_view uri, Deadline deadline);

  // Forwards the call and waits for its answer.
  Task<mcp::Reply> ask(const gateway::Call& call, std::string_view target, Deadline deadline);

  // Fails everything that waits.
  void fail_all(const Error& error);

 private:
  struct Pending {
    std::uint64_t id = 0;
    OneShot<mcp::Reply> answer;
    const gateway::Call* call = nullptr;  // Null for requests of the gateway's own.
    int questions = 0;                    // To its client, without an answer yet.
    Deadline deadline{};                  // Moves while the client thinks about a question.
  };

  void on_message(std::string_view text) override;
  void on_closed(const std::string& why) override;
  void on_response(const mcp::Message& message);
  void on_notification(const mcp::Message& message);
  void on_request(const mcp::Message& message);
  void answer(std::string_view id, const mcp::Reply& reply);
  // The call that is running, if there is exactly one; else null.
  Pending* only_call();
  // Who still waits for the answer with that raw id; null if nobody does.
  Pending* find_pending(std::string_view raw_id);

  Task<mcp::Reply> exchange(std::uint64_t id, std::string text, Pending& pending,
                            Deadline deadline);
  Task<mcp::Reply> request(std::string_view method, std::string params, Deadline deadline);

  transport::Channel& channel_;
  Events& events_;
  const LinkCounters& counters_;
  std::uint64_t next_id_ = 1;
  std::unordered_map<std::uint64_t, Pending*> pending_;
  std::string capabilities_;                                   // Of the server, raw.
  const std::shared_ptr<int> life_ = std::make_shared<int>();  // Gone when the link is.
};

}  // namespace patchbay::upstreams
