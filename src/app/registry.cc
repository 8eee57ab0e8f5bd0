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
#include "upstreams/child_connector.h"
#include "upstreams/http_connector.h"
#include "upstreams/kafka_upstream.h"
#include "upstreams/mcp_upstream.h"
#include "upstreams/openapi_upstream.h"
#include "upstreams/socket_connector.h"

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
constexpr char kHttp[] = "http";
constexpr char kSse[] = "sse";
constexpr char kCustomSse[] = "custom-http-sse";

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
    upstreams::McpUpstreamPlan plan{.name = name, .kind = "stdio", .settings = settings};
    plan.connectors.assign(static_cast<std::size_t>(settings.instances),
                           [name, settings, allowed = context.allowed](bool) {
                             return std::make_unique<upstreams::ChildConnector>(name, settings,
                                                                                allowed);
                           });
    return std::make_shared<upstreams::McpUpstream>(std::move(plan), context.workers,
                                                    context.watcher, context.registry);
  };
}

void add_fault(config::Faults& faults, const std::string& file, const config::Node& entry,
               const std::string& path, std::string message) {
  faults.push_back({file, entry.line, path, std::move(message)});
}

// An upstream of one of the kinds that are reached over HTTP.
MakeUpstream read_http(std::string_view kind, const std::string& name, const config::Node& entry,
                       const std::string& file, const std::string& path, config::Faults& faults) {
  auto settings = read_entry<upstreams::HttpSettings>(entry, file, path, faults);
  std::vector<std::string> urls = settings.replicas;
  if (!settings.url.empty()) urls.insert(urls.begin(), settings.url);
  if (urls.empty()) add_fault(faults, file, entry, path, "needs a url, or replicas");
  std::vector<upstreams::MakeConnector> connectors;
  for (const auto& url : urls) {
    auto target = upstreams::http_target(settings, url);
    if (!target) {
      add_fault(faults, file, entry, path, target.error().message);
      continue;
    }
    connectors.emplace_back([target = *target, kind](bool alone) {
      auto ways = upstreams::ways_to(target.url, kind, alone);
      return std::make_unique<upstreams::HttpConnector>(target, std::move(ways));
    });
  }
  return [name, kind, settings, connectors](const UpstreamContext& context) {
    upstreams::McpUpstreamPlan plan{name, kind, settings, connectors, kind == kHttp};
    return std::make_shared<upstreams::McpUpstream>(std::move(plan), context.workers,
                                                    context.watcher, context.registry);
  };
}

// The same for a kind that is known when this is compiled.
template <const char* kKindName>
MakeUpstream read_http_kind(const std::string& name, const config::Node& entry,
                            const std::string& file, const std::string& path,
                            config::Faults& faults) {
  return read_http(kKindName, name, entry, file, path, faults);
}

MakeUpstream make_socket(std::string name, std::string_view kind, upstreams::SocketPlace place,
                         const upstreams::SocketSettings& settings) {
  return [name, kind, place, settings](const UpstreamContext& context) {
    upstreams::McpUpstreamPlan plan{.name = name, .kind = kind, .settings = settings};
    plan.connectors.assign(static_cast<std::size_t>(settings.instances), [place, settings](bool) {
      return std::make_unique<upstreams::SocketConnector>(place, settings);
    });
    return std::make_shared<upstreams::McpUpstream>(std::move(plan), context.workers,
                                                    context.watcher, context.registry);
  };
}

MakeUpstream read_tcp(const std::string& name, const config::Node& entry, const std::string& file,
                      const std::string& path, config::Faults& faults) {
  auto settings = read_entry<upstreams::TcpSettings>(entry, file, path, faults);
  auto place = upstreams::tcp_place(settings.address);
  if (!place) add_fault(faults, file, entry, path + ".address", place.error().message);
  return make_socket(name, "tcp", place ? *place : upstreams::SocketPlace(), settings);
}

MakeUpstream read_unix(const std::string& name, const config::Node& entry, const std::string& file,
                       const std::string& path, config::Faults& faults) {
  auto settings = read_entry<upstreams::UnixSettings>(entry, file, path, faults);
  return make_socket(name, "unix", {"", 0, settings.path}, settings);
}

MakeUpstream read_openapi(const std::string& name, const config::Node& entry,
                          const std::string& file, const std::string& path,
                          config::Faults& faults) {
  auto settings = read_entry<upstreams::OpenapiSettings>(entry, file, path, faults);
  auto plan = upstreams::plan_openapi(name, settings);
  if (!plan) add_fault(faults, file, entry, path, plan.error().message);
  return [plan = plan ? *plan : upstreams::OpenapiPlan()](const UpstreamContext& context) {
    return std::make_shared<upstreams::OpenapiUpstream>(plan, context.workers, context.watcher,
                                                        context.registry);
  };
}

MakeUpstream read_kafka(const std::string& name, const config::Node& entry, const std::string& file,
                        const std::string& path, config::Faults& faults) {
  auto settings = read_entry<upstreams::KafkaSettings>(entry, file, path, faults);
  auto plan = upstreams::plan_kafka(name, settings, upstreams::process_environment());
  if (!plan) add_fault(faults, file, entry, path, plan.error().message);
  return [plan = plan ? *plan : upstreams::KafkaPlan()](const UpstreamContext& context) {
    auto embedded = plan.connection.embedded ? context.buses.get() : nullptr;
    return std::make_shared<upstreams::KafkaUpstream>(plan, std::move(embedded), context.workers,
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
    UpstreamKind{kHttp,
                 "Speaks MCP over HTTP; which revision and which transport is found by asking.",
                 config::shape_of<upstreams::HttpSettings>, read_http_kind<kHttp>},
    UpstreamKind{kSse, "The event stream of the first revision, at the URL, and nothing else.",
                 config::shape_of<upstreams::HttpSettings>, read_http_kind<kSse>},
    UpstreamKind{kCustomSse,
                 "Posts to the URL + /message and reads answers from the event stream at the URL "
                 "+ /sse.",
                 config::shape_of<upstreams::HttpSettings>, read_http_kind<kCustomSse>},
    UpstreamKind{"tcp", "Speaks MCP over a TCP connection, one message per line.",
                 config::shape_of<upstreams::TcpSettings>, read_tcp},
    UpstreamKind{"unix", "Speaks MCP over a Unix socket, one message per line.",
                 config::shape_of<upstreams::UnixSettings>, read_unix},
    UpstreamKind{"openapi", "An HTTP service: each operation of its OpenAPI document is a tool.",
                 config::shape_of<upstreams::OpenapiSettings>, read_openapi},
    UpstreamKind{"kafka", "Agents that live on Kafka topics, and topics by themselves.",
                 config::shape_of<upstreams::KafkaSettings>, read_kafka},
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
