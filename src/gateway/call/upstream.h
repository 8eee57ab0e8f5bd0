// An Upstream answers Calls: a child process, a remote server, skills compiled in. The gateway
// knows no other kind of back end. What it offers it tells the UpstreamWatcher.
//
// answer() and state() may be called on any worker; start() and stop() on the control thread.
#pragma once

#include <chrono>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "async/task.h"
#include "gateway/call/call.h"
#include "mcp/items.h"
#include "mcp/reply.h"

namespace patchbay::gateway {

// How long calls to an upstream may take, by its own settings.
struct UpstreamTimeout {
  std::chrono::milliseconds time{0};  // 0: as limits.call_timeout says.
  std::string_view setting = "timeout";
};

struct UpstreamState {
  bool up = false;
  std::string detail;  // Why it is down, or what else is wrong, or empty.
};

// The state of a task of an upstream, in the form of either kind of revision, raw. One of the two
// may come later.
struct TaskUpdate {
  std::string id;         // As the upstream calls it.
  std::string session;    // The parameters of notifications/tasks/status...
  std::string stateless;  // ...and of notifications/tasks.
  bool final = false;     // Nothing follows.
};

class Upstream {
 public:
  virtual ~Upstream() = default;

  // The configured name: the prefix of its tools.
  virtual std::string_view name() const = 0;
  virtual std::string_view kind() const = 0;

  // Begins to come up. Yields once the first attempt has ended, well or not; after that it keeps
  // trying by itself.
  virtual Task<void> start() = 0;

  // Answers `call`, whose target the upstream calls `target`. Progress goes to the
  // client meanwhile. Many at once; stops early when cancelled, and by call.deadline.
  virtual Task<mcp::Reply> answer(const Call& call, std::string_view target) = 0;

  // Whether it may ask the client of a call something. Upstreams that never ask let calls skip
  // the input-round machinery.
  virtual bool can_ask() const { return true; }

  virtual UpstreamTimeout call_timeout() const { return {}; }

  // What its server states about how to use it; empty if nothing.
  virtual std::string instructions() const { return {}; }

  virtual UpstreamState state() const = 0;

  // The configuration has been read again and says the same about it: time to look again at what
  // it refers to. On the control thread.
  virtual void reread() {}

  // Lets calls in progress finish until `deadline`, then releases everything. Called once.
  virtual Task<void> stop(Deadline deadline) = 0;
};

// Hears what upstreams offer. Told on any thread.
class UpstreamWatcher {
 public:
  virtual ~UpstreamWatcher() = default;
  virtual void offers(const Upstream& upstream, mcp::ItemLists items) = 0;
  // The content of a resource, by the upstream's own URI, has changed.
  virtual void updated(const Upstream& upstream, const std::string& uri) = 0;
  virtual void task_changed(const Upstream& upstream, const TaskUpdate& update) = 0;
  // What the upstream has been subscribed to and must be again when it comes back.
  virtual std::vector<std::string> subscribed(const Upstream& upstream) = 0;
  // It lists more than it may: what it offered before stays.
  virtual void refused(const Upstream& upstream, const Error& why) = 0;
};

}  // namespace patchbay::gateway
