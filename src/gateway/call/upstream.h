// An Upstream answers Calls: a child process, a remote server, compiled-in skills. The gateway
// knows no other kind of back end. An upstream reports its items to the UpstreamWatcher.
//
// answer(), state() and use() may be called on any worker; start() and stop() on the control
// thread.
#pragma once

#include <chrono>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "async/task.h"
#include "gateway/call/call.h"
#include "gateway/call/left_out.h"
#include "mcp/items.h"
#include "mcp/reply.h"

namespace patchbay::gateway {

// How long calls to an upstream may take, by its own settings.
struct UpstreamTimeout {
  std::chrono::milliseconds time{0};  // 0: limits.call_timeout applies.
  std::string_view setting = "timeout";
};

// The current resource use of an upstream, for metrics.
struct UpstreamUse {
  int instances_up = 0;  // Connections or programs that callers share...
  int instances_down = 0;
  int private_instances = 0;                   // ...and those of one caller or session each.
  std::optional<std::int64_t> unsent_records;  // Kafka: records that wait to be sent,
  std::optional<std::int64_t> unread_records;  // and records that have not been read.
};

// One connection or program of an upstream.
struct UpstreamInstance {
  bool up = false;
  bool shared = true;  // By all callers; false: it belongs to one caller, session or call.
  std::chrono::system_clock::time_point since = {};  // When that began.
  int running = 0;                                   // Calls.
};

struct UpstreamState {
  bool up = false;
  std::string detail;  // Why it is down, or another problem, or empty.
};

// The state of a task of an upstream, in the form of either kind of revision, raw. One of the two
// may be missing at first.
struct TaskUpdate {
  std::string id;         // The upstream's own id.
  std::string session;    // The parameters of notifications/tasks/status...
  std::string stateless;  // ...and of notifications/tasks.
  bool final = false;     // It is the last one.
};

class Upstream {
 public:
  virtual ~Upstream() = default;

  // The configured name: the prefix of its tools.
  virtual std::string_view name() const = 0;
  virtual std::string_view kind() const = 0;

  // Starts. Yields once the first attempt has ended, successfully or not; after that it keeps
  // trying by itself.
  virtual Task<void> start() = 0;

  // Answers `call` with the item that the upstream calls `target`. Progress goes to the client
  // meanwhile. Runs many calls at once; stops early when cancelled, and by call.deadline.
  virtual Task<mcp::Reply> answer(const Call& call, std::string_view target) = 0;

  // Whether it may ask the client of a call a question. Upstreams that never ask let calls skip the
  // input-round machinery.
  virtual bool can_ask() const { return true; }

  virtual UpstreamTimeout call_timeout() const { return {}; }

  // The instructions of its server; empty if there are none.
  virtual std::string instructions() const { return {}; }

  virtual UpstreamState state() const = 0;
  virtual UpstreamUse use() const { return {}; }

  // Its connections or programs, the shared ones first; empty for kinds without them.
  virtual std::vector<UpstreamInstance> instances() const { return {}; }

  // What it has and does not offer, and why; null: nothing is left out. On any thread.
  virtual std::shared_ptr<const LeftOut> left_out() const { return nullptr; }

  // The configuration has been read again without a change for this upstream, which should read the
  // files that it names again. On the control thread.
  virtual void reread() {}

  // Ends its shared connections and programs, and makes them anew at once: calls in progress fail.
  // Yields when that has begun. On any worker. Code::invalid_request: there is nothing to restart.
  virtual Task<void> restart() {
    co_return Error{Code::invalid_request,
                    "an upstream of kind " + std::string(kind()) + " cannot be restarted"};
  }

  // Lets calls in progress finish until `deadline`, then releases everything. Called once.
  virtual Task<void> stop(Deadline deadline) = 0;
};

// Receives reports of upstreams. Called on any thread.
class UpstreamWatcher {
 public:
  virtual ~UpstreamWatcher() = default;
  virtual void offers(const Upstream& upstream, mcp::ItemLists items) = 0;
  // The content of a resource, by the upstream's own URI, has changed.
  virtual void updated(const Upstream& upstream, const std::string& uri) = 0;
  virtual void task_changed(const Upstream& upstream, const TaskUpdate& update) = 0;
  // The resources that the upstream was subscribed to, and must be again when it comes back.
  virtual std::vector<std::string> subscribed(const Upstream& upstream) = 0;
  // It lists more than it may: its earlier items stay listed.
  virtual void refused(const Upstream& upstream, const Error& why) = 0;
};

}  // namespace patchbay::gateway
