// A Call is one request in progress: the request, its caller, its deadline, and how to reach the
// client meanwhile. The frontend that made it owns it until it is answered.
//
// Made and read on the caller's worker; an upstream on another worker may read it while it answers.
#pragma once

#include <atomic>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "async/executor.h"
#include "async/timers.h"
#include "core/principal.h"
#include "mcp/message.h"
#include "mcp/methods.h"
#include "mcp/param_headers.h"
#include "mcp/reply.h"
#include "mcp/tasks.h"
#include "policy/rates/rates.h"
#include "trace/call_trace.h"

namespace patchbay::gateway {

// Receives the answer to a question: called exactly once.
using Answer = std::move_only_function<void(mcp::Reply)>;

// The client's side of a call in progress. Called on the caller's worker.
class Peer {
 public:
  virtual ~Peer() = default;
  // Forwards a notification, for example progress.
  virtual void notify(std::string_view method, std::string_view params) = 0;
  // Asks the client a question of the upstream: a sample of its model, or a choice of its user.
  // `answer` is called at the latest when the call ends, and at once if the client cannot be asked.
  virtual void ask(std::string_view method, std::string_view params, Answer answer) = 0;
  // The call is repeated elsewhere: earlier questions no longer matter.
  virtual void withdraw_questions() {}
  // The call uses a program of its session or of its caller alone, which ends with the process and
  // may remember what it has been sent.
  virtual void on_private_program() {}
};

// The client of a call that can receive nothing but the answer.
class SilentPeer final : public Peer {
 public:
  void notify(std::string_view, std::string_view) override {}
  void ask(std::string_view, std::string_view, Answer answer) override {
    answer(mcp::error_reply({Code::method_not_found, "the client of this call cannot be asked"}));
  }
};

class Catalog;
struct CatalogEntry;
class TaskIds;

// The frontend, the caller, and the address of a request.
struct CallOrigin {
  std::string_view frontend;
  Caller caller;
  std::string from = {};
};

// How a record names the reason that something is hidden: no rule allows it, or one denies it.
inline constexpr std::string_view kHidden = "hidden";

// How long a call may take. It ends at `latest`, even if it reports progress.
struct CallClock {
  std::chrono::milliseconds limit{0};  // Without an answer or progress. 0: progress has no effect.
  std::string_view setting = {};       // The setting that has the limit...
  bool of_upstream = false;            // ...and whether it is one of the call's upstream.
  std::chrono::milliseconds total{0};
  mutable Deadline latest = kNever;
};

struct Call {
  const mcp::Message& request;
  const mcp::Method& method;
  mcp::Revision revision;
  std::string_view frontend;  // The frontend: "mcp-http", "mcp-stdio".
  Executor& owner;            // The caller's worker.
  Peer& client;
  mutable Deadline deadline;  // Moves while a person decides: pause_clock();
                              // and with progress: restart_clock().
  std::size_t bytes_in = 0;
  Caller caller = {};  // Set by the frontend. A call without a caller is refused.

  // The client, as far as the frontend knows it.
  std::string_view session = {};         // Empty for a client without one.
  std::string_view session_digest = {};  // How records name it: see session_digest().
  std::string_view capabilities = "{}";  // Of the client, raw.
  std::string_view client_info = {};     // Its name and version: see client_info.h. May be empty.
  std::optional<int> log_level = {};  // The least important messages that it receives; none if it
                                      // has never set a level.

  // Notifications that are on their way from another worker; see notify().
  mutable std::atomic<int> updates_in_flight = 0;

  // For a stateless client over HTTP: the headers of its request.
  const mcp::FindHeader* headers = nullptr;

  // The client answers questions at a link that identifies its request; it does not repeat the
  // request.
  bool linked = false;

  // Set by frontends for MCP: questions of the gateway reach a person who uses the client, and
  // results reach a model. Elsewhere the caller itself would answer.
  bool has_user = false;

  // Set by the client's side, read on any worker: its connection has gone and it has not come back
  // for the rest. A question would reach nobody.
  mutable std::atomic<bool> abandoned = false;

  // The client distinguishes a resource whose value is JSON null from one without content.
  bool keeps_null = false;

  // Set by the client's side if it could not be asked: the capability that it did not declare.
  mutable std::string_view missing = {};

  // Set by the McpServer: how long the client has to answer a question of the upstream.
  std::chrono::nanoseconds timeout{0};

  // Set by the McpServer and the pipeline. See gateway/call/clock.h.
  CallClock clock = {};

  std::string_view from = {};  // The client's address; empty for our own stdin.
  // Its stages, and the trace context that it continues. Begun by the Recorder.
  mutable trace::CallTrace trace = {};

  // Set by the McpServer: its `serverInfo`, raw, for the results of stateless revisions.
  std::string_view server_info = {};

  // Set by the pipeline.
  mutable std::optional<policy::Quota> quota =
      {};                               // The remaining quota of the caller, if it is limited.
  std::string target = {};              // The name in the request.
  std::string upstream = {};            // The upstream that answers; empty until routed.
  std::string_view upstream_kind = {};  // Its kind, once routed.
  std::string_view tool =
      {};                 // The name of the tool in metrics, `upstream.tool`; from the catalog.
  std::string rule = {};  // The rule that decided; empty: none did.
  bool is_admin = false;  // The caller has the role `admin`.
  std::string approved_by = {};  // Who approved it; empty: no approval was needed.
  // Arguments that are mirrored in headers on the way to the upstream.
  const std::vector<mcp::ParamHeader>* param_headers = nullptr;
  mcp::TaskSupport task_support = mcp::TaskSupport::none;  // Of the tool that is called.
  const TaskIds* tasks = nullptr;  // How the client receives tasks; see listed_task().
  // The item that `target` names, in the catalog that the caller has access to. Null: there is no
  // such item, or the method names none.
  std::shared_ptr<const Catalog> catalog = {};
  const CatalogEntry* entry = nullptr;
  mcp::ItemKind item = mcp::ItemKind::tool;  // The kind of the item that is named.
};

// The maximum number of notifications of one call on their way to its worker.
inline constexpr int kMaxUpdatesInFlight = 256;

// Notifies the client while the call runs. Callable on any worker. Notifications that arrive faster
// than the caller's worker handles them are dropped.
inline void notify(const Call& call, std::string_view method, std::string params) {
  if (&call.owner == &here()) {
    call.client.notify(method, params);
    return;
  }
  if (call.updates_in_flight.fetch_add(1, std::memory_order_relaxed) >= kMaxUpdatesInFlight) {
    call.updates_in_flight.fetch_sub(1, std::memory_order_relaxed);
    return;
  }
  // The call still exists when this message arrives, because its answer is posted later.
  call.owner.post([&call, method = std::string(method), params = std::move(params)] {
    call.updates_in_flight.fetch_sub(1, std::memory_order_relaxed);
    call.client.notify(method, params);
  });
}

// Asks the client something while the call runs. Callable on any worker, where `answer` is called
// too.
inline void ask(const Call& call, std::string_view method, std::string_view params, Answer answer) {
  if (&call.owner == &here()) {
    call.client.ask(method, params, std::move(answer));
    return;
  }
  auto back = [&from = here(), answer = std::move(answer)](mcp::Reply reply) mutable {
    from.post([answer = std::move(answer), reply = std::move(reply)]() mutable {
      answer(std::move(reply));
    });
  };
  call.owner.post(
      [&client = call.client, method = std::string(method), params = std::string(params),
       back = std::move(back)]() mutable { client.ask(method, params, std::move(back)); });
}

}  // namespace patchbay::gateway
