// The contents of the build: the frontends, the kinds of upstream and the skills, each as one
// table. A new one is a folder or a file, and one row. See docs/extending.md.
#pragma once

#include <functional>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "app/bus_service.h"
#include "async/thread_pool.h"
#include "config/describe.h"
#include "frontends/frontend.h"
#include "gateway/call/upstream.h"
#include "gateway/catalog/list_limits.h"
#include "mcp_client/connect/allowed_commands.h"
#include "net/io/loop.h"
#include "oauth/token_service.h"
#include "observe/metrics.h"
#include "skills/skill.h"

namespace patchbay::app {

struct Configuration;

// A listener that a frontend has in addition to the HTTP listeners.
struct FrontendListener {
  std::string_view name;    // For the banner.
  std::string_view scheme;  // The same.
  std::string address;
  bool tls = false;
  std::string_view tls_key;      // The setting that adds TLS.
  std::string_view address_key;  // The setting of the address.

  bool operator==(const FrontendListener&) const = default;
};

struct FrontendKind {
  std::string_view name;
  std::string_view meaning;
  std::unique_ptr<frontends::SharedFrontend> (*make)(const Configuration& configuration,
                                                     const frontends::ProcessServices& services);
  // Passes new settings on. REQUIRES: `frontend` was made by this row.
  void (*update)(frontends::SharedFrontend& frontend, const Configuration& configuration);
  // Null if the frontend is reached over HTTP only.
  std::optional<FrontendListener> (*listener)(const Configuration& configuration) = nullptr;
};

// In the order in which they are made; they stop in the reverse order.
std::span<const FrontendKind> frontend_kinds();

// What the factory of an upstream gets besides the upstream's own settings.
struct UpstreamContext {
  const std::vector<net::Loop*>& workers;
  gateway::UpstreamWatcher& watcher;
  metrics::Registry& registry;
  BusService& buses;
  ThreadPool& parsers;  // For documents whose parsing would delay the control thread.
  std::shared_ptr<const upstreams::AllowedCommands> allowed = {};  // Null: any program.
  oauth::TokenService* tokens = nullptr;                           // Null: nothing needs tokens.
  gateway::ListLimits lists = {};                                  // Of this upstream.
  std::vector<std::string> env_pass = {};  // Variables that every program gets.
};

using MakeUpstream =
    std::function<std::shared_ptr<gateway::Upstream>(const UpstreamContext& context)>;

struct UpstreamKind {
  std::string_view name;
  std::string_view meaning;
  config::Shape (*shape)();
  const config::Fields& (*fields)();
  // Reads an entry of the configuration. The result is used only if there are no faults.
  MakeUpstream (*read)(const std::string& name, const config::Node& entry, const std::string& file,
                       const std::string& path, config::Faults& faults);
};

std::span<const UpstreamKind> upstream_kinds();
const UpstreamKind* find_upstream_kind(std::string_view name);

// All skills, in the order in which they may claim a goal.
std::span<const Skill* const> skills();

}  // namespace patchbay::app
