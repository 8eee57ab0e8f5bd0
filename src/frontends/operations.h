// The state of the running gateway that operators may see: its upstreams, whether it is ready, its
// bus, refused reloads. Frontends present it in their own form.
//
// Callable on any thread.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "frontends/caller_tokens.h"
#include "frontends/configuration_editor.h"
#include "frontends/configuration_view.h"
#include "frontends/run_time.h"
#include "gateway/call/upstream.h"

namespace patchbay::frontends {

struct UpstreamLine {
  std::string name;
  std::string kind;
  gateway::UpstreamState state;
  std::size_t tools = 0;
  bool required = false;  // The gateway is not ready without it.
  UpstreamSwitch switched = {};
};

// {"name":…,"kind":…,"state":"up","detail":…,"tools":…}
std::string upstream_json(const UpstreamLine& line);

struct OperationsView {
  std::function<std::vector<UpstreamLine>()> upstreams;
  std::function<bool()> ready;            // Started, and not stopping.
  std::function<std::string()> bus = {};  // The addresses of the embedded bus, raw; empty: none.
  // Changes of files that were refused, and why; empty: the files are in effect.
  std::function<std::vector<std::string>()> refused = {};
  // Requirements of the configuration that this machine does not meet, and why.
  std::function<std::vector<std::string>()> problems = {};
  std::function<std::string()> digest = {};  // Of the configuration in force.
  // The running upstream of that name; null: there is none.
  std::function<std::shared_ptr<gateway::Upstream>(std::string_view name)> find_upstream = {};
  RunTime* run_time = nullptr;  // What admins change while it runs; null: nothing.
  const ConfigurationView* configuration = nullptr;  // Null: nobody may see it.
  ConfigurationEditor* editor = nullptr;             // Null: nobody may change it.
  CallerTokens* caller_tokens = nullptr;             // Null: there are none.
};

}  // namespace patchbay::frontends
