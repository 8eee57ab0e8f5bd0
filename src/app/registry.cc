#include "app/registry.h"

#include <algorithm>
#include <array>

#include "skills/calculator.h"
#include "skills/echo.h"
#include "skills/summarize.h"
#include "skills/time.h"
#include "upstreams/builtin_upstream.h"
#include "upstreams/child_connector.h"
#include "upstreams/mcp_upstream.h"

namespace patchbay {

namespace app {

struct BuiltinSettings {};

}  // namespace app

template <>
inline constexpr auto config::fields<app::BuiltinSettings> = std::tuple<>{};

namespace app {
namespace {

constexpr std::string_view kKind = "kind";

template <class S>
S read_entry(const config::Node& entry, const std::string& file, const std::string& path,
             config::Faults& faults) {
  const std::array ignored{kKind};
  return config::read<S>(entry, file, path, faults, ignored);
}

MakeUpstream read_stdio(const std::string& name, const config::Node& entry, const std::string& file,
                        const std::string& path, config::Faults& faults) {
  auto settings = read_entry<upstreams::StdioSettings>(entry, file, path, faults);
  return [name, settings](const UpstreamContext& context) {
    upstreams::McpUpstreamPlan plan{.name = name, .kind = "stdio", .settings = settings};
    plan.connectors.assign(static_cast<std::size_t>(settings.instances), [name, settings] {
      return std::make_unique<upstreams::ChildConnector>(name, settings);
    });
    return std::make_shared<upstreams::McpUpstream>(std::move(plan), context.workers,
                                                    context.watcher, context.registry);
  };
}

MakeUpstream read_builtin(const std::string& name, const config::Node& entry,
                          const std::string& file, const std::string& path,
                          config::Faults& faults) {
  auto settings = read_entry<BuiltinSettings>(entry, file, path, faults);
  (void)settings;  // It has none yet; reading it finds unknown keys.
  return [name](const UpstreamContext& context) {
    return std::make_shared<upstreams::BuiltinUpstream>(name, skills(), context.watcher);
  };
}

constexpr std::array kUpstreamKinds{
    UpstreamKind{"stdio", "Runs a program and speaks MCP on its stdin and stdout.",
                 config::shape_of<upstreams::StdioSettings>, read_stdio},
    UpstreamKind{"builtin", "The skills compiled into the gateway.",
                 config::shape_of<BuiltinSettings>, read_builtin},
};

constexpr std::array kSkills{&kCalculatorSkill, &kSummarizeSkill, &kEchoSkill, &kTimeSkill};

}  // namespace

std::span<const UpstreamKind> upstream_kinds() { return kUpstreamKinds; }

const UpstreamKind* find_upstream_kind(std::string_view name) {
  const auto* const found = std::ranges::find(kUpstreamKinds, name, &UpstreamKind::name);
  return found == kUpstreamKinds.end() ? nullptr : found;
}

std::span<const Skill* const> skills() { return kSkills; }

}  // namespace app
}  // namespace patchbay
