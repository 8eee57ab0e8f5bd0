#include "app/registry.h"

#include <algorithm>
#include <array>

#include "skills/calculator.h"
#include "skills/echo.h"
#include "skills/mock_search.h"
#include "skills/osquery.h"
#include "skills/search.h"
#include "skills/summarize.h"
#include "skills/time.h"
#include "skills/weather.h"
#include "upstreams/builtin_upstream.h"
#include "upstreams/stdio_upstream.h"

namespace patchbay {

namespace app {

struct BuiltinSettings {
  SearchSettings search;
};

}  // namespace app

template <>
inline constexpr auto config::fields<app::BuiltinSettings> = std::tuple{
    Field{"search", &app::BuiltinSettings::search,
          "Where the skill `search` looks; with folders it takes the place of `mock_search`."},
};

namespace app {
namespace {

constexpr std::string_view kKind = "kind";

// In the order in which they are asked whether a goal is theirs.
constexpr std::array kSkills{&kCalculatorSkill, &kSummarizeSkill, &kSearchSkill, &kMockSearchSkill,
                             &kOsquerySkill,    &kWeatherSkill,   &kTimeSkill,   &kEchoSkill};

// The skills that a builtin upstream has as tools.
std::vector<OfferedSkill> offered(const BuiltinSettings& settings) {
  const bool searches = !settings.search.folders.empty();
  std::vector<OfferedSkill> list;
  for (const Skill* const skill : kSkills) {
    if (skill == &kSearchSkill && searches) {
      list.push_back({skill, std::make_shared<FolderSearch>(settings.search)});
    } else if (skill->run && !(skill == &kMockSearchSkill && searches)) {
      list.push_back({skill});
    }
  }
  return list;
}

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
    return std::make_shared<upstreams::StdioUpstream>(name, settings, context.workers,
                                                      context.watcher, context.registry);
  };
}

MakeUpstream read_builtin(const std::string& name, const config::Node& entry,
                          const std::string& file, const std::string& path,
                          config::Faults& faults) {
  auto settings = read_entry<BuiltinSettings>(entry, file, path, faults);
  return [name, settings](const UpstreamContext& context) {
    return std::make_shared<upstreams::BuiltinUpstream>(name, offered(settings), context.watcher);
  };
}

constexpr std::array kUpstreamKinds{
    UpstreamKind{"stdio", "Runs a program and speaks MCP on its stdin and stdout.",
                 config::shape_of<upstreams::StdioSettings>, read_stdio},
    UpstreamKind{"builtin", "The skills compiled into the gateway.",
                 config::shape_of<BuiltinSettings>, read_builtin},
};

}  // namespace

std::span<const UpstreamKind> upstream_kinds() { return kUpstreamKinds; }

const UpstreamKind* find_upstream_kind(std::string_view name) {
  const auto* const found = std::ranges::find(kUpstreamKinds, name, &UpstreamKind::name);
  return found == kUpstreamKinds.end() ? nullptr : found;
}

std::span<const Skill* const> skills() { return kSkills; }

}  // namespace app
}  // namespace patchbay
