// How sandboxes are made: an Engine makes Guests, each with an agent inside. There is one file per
// engine; all other code about sandboxes is common to all engines.
//
// Confined to one worker, except where noted.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <string_view>

#include "async/task.h"
#include "async/thread_pool.h"
#include "observe/metrics.h"
#include "sandbox/cgroup.h"
#include "sandbox/workspace.h"
#include "upstreams/sandbox/agent_link.h"
#include "upstreams/sandbox/settings.h"

namespace patchbay::upstreams {

// A running sandbox.
class Guest {
 public:
  virtual ~Guest() = default;

  virtual AgentLink& agent() = 0;

  // Its folder, accessed from outside; null where only the agent can access it. May be used on any
  // thread, also after the guest has ended.
  virtual std::shared_ptr<const sandbox::Workspace> workspace() const { return nullptr; }

  // Sets its name in the log.
  virtual void call(const std::string& /*id*/) {}

  // Its resource use; empty where nothing counts it.
  virtual sandbox::Cgroup cgroup() const { return sandbox::Cgroup({}); }

  // The limits of its sandbox that are not set, by their names in the configuration.
  virtual std::vector<std::string> absent() const = 0;

  // Its resource use at its own end; waits for that.
  virtual Task<sandbox::Usage> last_usage() { co_return sandbox::Usage(); }

  // Ends it with everything in it. Called once.
  virtual Task<void> end() = 0;
};

class Engine {
 public:
  virtual ~Engine() = default;

  // The kind of isolation.
  virtual std::string_view isolation() const = 0;

  // Checks that it can work at all. Code::unavailable has the reason and the remedy.
  virtual Task<void> prepare() = 0;

  // A new sandbox with the limits of the settings, or with `limits`. Its agent has not been
  // contacted yet.
  virtual Task<std::unique_ptr<Guest>> start(const SandboxLimits& limits, Deadline deadline) = 0;
};

// The limits that only the environment of an agent can enforce: all of them if the environment is
// not ours.
std::vector<std::string> limits_around();

// The token for its agents; empty: none.
const std::string& agent_token(const SandboxSettings& settings);

// The isolation of each sandbox of the bubblewrap engine.
sandbox::Settings isolation_of(const SandboxSettings& settings);

// The engine of the settings, which counts in `registry` if there is one. REQUIRES: all of them
// outlive it.
std::unique_ptr<Engine> make_engine(const std::string& upstream, const SandboxSettings& settings,
                                    ThreadPool& pool, metrics::Registry* registry);

// One for each kind; make_engine() chooses.
std::unique_ptr<Engine> make_bubblewrap_engine(const std::string& upstream,
                                               const SandboxSettings& settings, ThreadPool& pool,
                                               metrics::Registry* registry);
std::unique_ptr<Engine> make_microvm_engine(const std::string& upstream,
                                            const SandboxSettings& settings, ThreadPool& pool);
std::unique_ptr<Engine> make_remote_engine(const SandboxSettings& settings);
std::unique_ptr<Engine> make_bare_engine(const std::string& upstream,
                                         const SandboxSettings& settings, ThreadPool& pool);

}  // namespace patchbay::upstreams
