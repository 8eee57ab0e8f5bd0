#include "app/registry.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "config/fields.h"
#include "core/http_token.h"
#include "mcp_client/connect/http.h"
#include "mcp_client/connect/sandboxed_stdio.h"
#include "mcp_client/connect/socket.h"
#include "mcp_client/connect/stdio.h"
#include "mcp_client/connect/wire.h"
#include "mcp_client/connect/ws.h"
#include "sandbox/syscalls.h"
#include "skills/calculator.h"
#include "skills/echo.h"
#include "skills/mock_search.h"
#include "skills/osquery.h"
#include "skills/search.h"
#include "skills/summarize.h"
#include "skills/time.h"
#include "skills/weather.h"
#include "transport/wire/url.h"
#include "upstreams/builtin/upstream.h"
#include "upstreams/kafka/upstream.h"
#include "upstreams/mcp/upstream.h"
#include "upstreams/openapi/upstream.h"
#include "upstreams/sandbox/upstream.h"

namespace patchbay {

namespace app {

struct BuiltinSettings {
  SearchSettings search;
  bool mock_skills = false;
};

}  // namespace app

template <>
const config::Fields& config::fields<app::BuiltinSettings>() {
  static const Fields kFields = fields_of<app::BuiltinSettings>({
      {"search", &app::BuiltinSettings::search,
       "Settings of the skill `search`. With folders, it replaces `mock_search`."},
      {"mock_skills", &app::BuiltinSettings::mock_skills,
       "Whether the skills that return invented data (`mock_search`, `weather`) are listed as "
       "tools. Goals use them in any case."},
  });
  return kFields;
}

namespace app {
namespace {

constexpr std::string_view kKind = "kind";
constexpr char kHttp[] = "http";
constexpr char kSse[] = "sse";
constexpr char kCustomSse[] = "custom-http-sse";

// In the order in which they may claim a goal.
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
      list.push_back({skill, nullptr, !skill->invented || settings.mock_skills});
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

void add_fault(config::Faults& faults, const std::string& file, const config::Node& entry,
               const std::string& path, std::string message) {
  faults.push_back({file, entry.line, path, std::move(message)});
}

// Texts that depend on the caller, under the key `key` of the entry. They need connections that
// callers do not share.
upstreams::CallerTemplates read_texts(std::string_view key, const config::Dict<std::string>& texts,
                                      const upstreams::McpSettings& settings,
                                      const config::Node& entry, const std::string& file,
                                      const std::string& path, config::Faults& faults) {
  const std::string at = fmt::format("{}.{}", path, key);
  auto parsed = upstreams::CallerTemplates::parse(texts);
  if (!parsed) {
    add_fault(faults, file, entry, at, parsed.error().message);
    return {};
  }
  if (parsed->depend() && settings.isolation == upstreams::Isolation::shared) {
    add_fault(faults, file, entry, at,
              "${caller.…} needs connections that callers do not share; use isolation: "
              "per-principal");
  }
  return *std::move(parsed);
}

void check_egress(const sandbox::Settings& settings, const config::Node& entry,
                  const std::string& file, const std::string& path, config::Faults& faults) {
  auto sound = sandbox::check_egress(settings);
  if (!sound) add_fault(faults, file, entry, path + ".egress", sound.error().message);
}

std::shared_ptr<gateway::Upstream> make_mcp(upstreams::McpUpstreamPlan plan,
                                            const UpstreamContext& context) {
  plan.settings.lists = context.lists;
  return std::make_shared<upstreams::McpUpstream>(std::move(plan), context.workers, context.watcher,
                                                  context.registry);
}

std::unique_ptr<upstreams::Connector> stdio_connector(
    const std::string& name, const upstreams::StdioSettings& settings,
    const std::shared_ptr<const upstreams::AllowedCommands>& allowed,
    const Result<std::optional<net::User>>& user,
    const std::shared_ptr<const upstreams::EgressCounters>& egress) {
  if (settings.sandbox) {
    return std::make_unique<upstreams::ConfinedConnector>(name, settings, allowed, egress);
  }
  return std::make_unique<upstreams::ChildConnector>(name, settings, allowed, user);
}

MakeUpstream read_stdio(const std::string& name, const config::Node& entry, const std::string& file,
                        const std::string& path, config::Faults& faults) {
  auto settings = read_entry<upstreams::StdioSettings>(entry, file, path, faults);
  auto texts = read_texts("env", settings.env, settings, entry, file, path, faults);
  for (const auto& [variable, value] : settings.env) {
    if (!variable.empty() && variable.find('=') == std::string::npos) continue;
    add_fault(faults, file, entry, path + ".env",
              fmt::format("'{}' cannot be the name of a variable", variable));
  }
  if (settings.sandbox) check_egress(*settings.sandbox, entry, file, path + ".sandbox", faults);
  if (settings.sandbox && !settings.user.empty()) {
    add_fault(faults, file, entry, path + ".user",
              "a sandbox sets the user of its program: leave out user or sandbox");
  }
  return [name, settings, texts](const UpstreamContext& context) {
    upstreams::McpUpstreamPlan plan{.name = name, .kind = "stdio", .settings = settings};
    std::shared_ptr<const upstreams::EgressCounters> egress;
    if (settings.sandbox && !settings.sandbox->egress.empty()) {
      egress = std::make_shared<const upstreams::EgressCounters>(context.registry, name);
    }
    auto make = [name, settings, texts, egress, user = upstreams::user_of(settings),
                 allowed = context.allowed,
                 env_pass = context.env_pass](const upstreams::ConnectionOwner& owner) {
      auto own = settings;
      own.env_pass.insert(own.env_pass.end(), env_pass.begin(), env_pass.end());
      // The choice of the connection has already checked that the template can be filled in.
      if (auto filled = texts.fill(*owner.caller)) own.env = *std::move(filled);
      return stdio_connector(name, own, allowed, user, egress);
    };
    plan.connectors.assign(static_cast<std::size_t>(settings.instances), make);
    plan.texts = texts;
    if (settings.sandbox) {
      // Created before any worker has to wait for it.
      sandbox::prepared_cgroup_paths();
      (void)sandbox::syscall_filter();
    }
    return make_mcp(std::move(plan), context);
  };
}

// Null if the upstream needs no tokens.
std::shared_ptr<oauth::Access> access_for(const std::shared_ptr<const oauth::Plan>& plan,
                                          const UpstreamContext& context) {
  return plan ? context.tokens->open(plan) : nullptr;
}

// The parts of a connection to a server over HTTP.
struct HttpCandidates {
  std::string_view kind;
  upstreams::CallerTemplates headers;
  std::shared_ptr<const oauth::Plan> auth;  // Null: only the headers authenticate.
};

// The header lines for one caller. If one of them cannot be sent, none is.
std::string lines_for(const upstreams::CallerTemplates& headers, const Principal& caller) {
  auto filled = headers.fill(caller);
  auto lines = filled ? upstreams::header_lines(*filled) : Result<std::string>(filled.error());
  return lines ? *std::move(lines) : "";
}

upstreams::MakeConnector http_connector(const transport::HttpTarget& endpoint,
                                        const HttpCandidates& candidates,
                                        std::shared_ptr<oauth::Access> access) {
  return [endpoint, candidates, access](const upstreams::ConnectionOwner& owner) {
    transport::HttpTarget target = endpoint;
    if (candidates.headers.depend()) target.fields = lines_for(candidates.headers, *owner.caller);
    if (access) target.credentials = access->credentials(owner.caller);
    auto all = upstreams::http_candidates(target.url, candidates.kind, owner.alone);
    return std::make_unique<upstreams::HttpConnector>(std::move(target), std::move(all));
  };
}

// What to do when the server refuses the credentials or requires some.
std::string on_401(const upstreams::HttpSettings& settings, const std::string& name,
                   const std::string& path) {
  if (settings.auth) {
    const bool people = settings.auth->kind == oauth::Kind::authorization_code;
    return fmt::format("it refuses the token of {}.auth{}", path,
                       people ? fmt::format("; run `patchbay login {}`", name) : "");
  }
  const bool sends = std::ranges::any_of(settings.headers, [](const auto& header) {
    return same_token(header.first, "Authorization");
  });
  if (sends) return fmt::format("it refuses the header Authorization of {}.headers", path);
  return fmt::format(
      "it requires credentials: set {0}.headers or {0}.auth; with `auth: {{ kind: "
      "authorization_code "
      "}}`, `patchbay login {1}` signs in",
      path, name);
}

// An upstream of one of the kinds that use HTTP.
MakeUpstream read_http(std::string_view kind, const std::string& name, const config::Node& entry,
                       const std::string& file, const std::string& path, config::Faults& faults) {
  auto settings = read_entry<upstreams::HttpSettings>(entry, file, path, faults);
  std::vector<std::string> urls = settings.replicas;
  if (!settings.url.empty()) urls.insert(urls.begin(), settings.url);
  if (urls.empty()) add_fault(faults, file, entry, path, "needs a url, or replicas");
  std::vector<transport::HttpTarget> endpoints;
  for (const auto& url : urls) {
    auto target = upstreams::http_target(settings, url);
    if (target) target->on_401 = on_401(settings, name, path);
    if (target) endpoints.push_back(*std::move(target));
    if (!target) add_fault(faults, file, entry, path, target.error().message);
  }
  HttpCandidates candidates{
      kind, read_texts("headers", settings.headers, settings, entry, file, path, faults), nullptr};
  if (!endpoints.empty()) {
    // The replicas are one server, so one token is valid for all of them.
    auto auth = upstreams::auth_plan(
        name, endpoints.front().url, settings,
        {.shared = settings.isolation == upstreams::Isolation::shared, .on_demand = true});
    if (auth) candidates.auth = *std::move(auth);
    if (!auth) add_fault(faults, file, entry, path + ".auth", auth.error().message);
  }
  return [name, settings, endpoints, candidates](const UpstreamContext& context) {
    upstreams::McpUpstreamPlan plan{name, candidates.kind,          settings,
                                    {},   candidates.kind == kHttp, candidates.headers};
    const auto access = access_for(candidates.auth, context);
    plan.access = access;
    const auto use = std::make_shared<net::HttpPoolUse>(context.registry, name);
    for (auto endpoint : endpoints) {
      endpoint.pool.use = use;
      plan.connectors.push_back(http_connector(endpoint, candidates, access));
    }
    return make_mcp(std::move(plan), context);
  };
}

// The same for a kind that is known at compile time.
template <const char* kKindName>
MakeUpstream read_http_kind(const std::string& name, const config::Node& entry,
                            const std::string& file, const std::string& path,
                            config::Faults& faults) {
  return read_http(kKindName, name, entry, file, path, faults);
}

MakeUpstream make_socket(std::string name, std::string_view kind,
                         upstreams::SocketEndpoint endpoint,
                         const upstreams::SocketSettings& settings) {
  // view: the name of a kind is a literal.
  return [name, kind, endpoint, settings](const UpstreamContext& context) {
    upstreams::McpUpstreamPlan plan{.name = name, .kind = kind, .settings = settings};
    plan.connectors.assign(static_cast<std::size_t>(settings.instances),
                           [endpoint, settings](const upstreams::ConnectionOwner&) {
                             return std::make_unique<upstreams::SocketConnector>(endpoint,
                                                                                 settings);
                           });
    return make_mcp(std::move(plan), context);
  };
}

MakeUpstream read_tcp(const std::string& name, const config::Node& entry, const std::string& file,
                      const std::string& path, config::Faults& faults) {
  auto settings = read_entry<upstreams::TcpSettings>(entry, file, path, faults);
  auto endpoint = upstreams::tcp_endpoint(settings.address);
  if (!endpoint) add_fault(faults, file, entry, path + ".address", endpoint.error().message);
  return make_socket(name, "tcp", endpoint ? *endpoint : upstreams::SocketEndpoint(), settings);
}

MakeUpstream read_unix(const std::string& name, const config::Node& entry, const std::string& file,
                       const std::string& path, config::Faults& faults) {
  auto settings = read_entry<upstreams::UnixSettings>(entry, file, path, faults);
  return make_socket(name, "unix", {"", 0, settings.path}, settings);
}

MakeUpstream read_wire_tcp(const std::string& name, const config::Node& entry,
                           const std::string& file, const std::string& path,
                           config::Faults& faults) {
  auto settings = read_entry<upstreams::WireTcpSettings>(entry, file, path, faults);
  auto url = transport::parse_wire_url(settings.url);
  if (!url) add_fault(faults, file, entry, path + ".url", url.error().message);
  std::shared_ptr<const net::TlsContext> tls;
  if (url && url->tls) {
    const upstreams::TlsSettings& tls_settings = settings.tls;
    auto made = net::TlsContext::client({tls_settings.ca, tls_settings.cert, tls_settings.key,
                                         tls_settings.server_name, tls_settings.verify});
    if (made) tls = *std::move(made);
    if (!made) add_fault(faults, file, entry, path + ".tls", made.error().message);
  }
  return [name, settings, tls, url = url ? *url : net::Url()](const UpstreamContext& context) {
    upstreams::McpUpstreamPlan plan{.name = name, .kind = "wire-tcp", .settings = settings};
    plan.connectors.assign(static_cast<std::size_t>(settings.instances),
                           [url, tls, settings](const upstreams::ConnectionOwner&) {
                             return std::make_unique<upstreams::WireConnector>(url, tls, settings);
                           });
    return make_mcp(std::move(plan), context);
  };
}

MakeUpstream read_ws(const std::string& name, const config::Node& entry, const std::string& file,
                     const std::string& path, config::Faults& faults) {
  auto settings = read_entry<upstreams::WsSettings>(entry, file, path, faults);
  auto target = upstreams::ws_target(settings);
  if (!target) add_fault(faults, file, entry, path, target.error().message);
  return [name, settings,
          target = target ? *target : net::WebSocketTarget()](const UpstreamContext& context) {
    upstreams::McpUpstreamPlan plan{.name = name, .kind = "ws", .settings = settings};
    plan.connectors.assign(static_cast<std::size_t>(settings.instances),
                           [target, settings](const upstreams::ConnectionOwner&) {
                             return std::make_unique<upstreams::WsConnector>(target, settings);
                           });
    return make_mcp(std::move(plan), context);
  };
}

MakeUpstream read_openapi(const std::string& name, const config::Node& entry,
                          const std::string& file, const std::string& path,
                          config::Faults& faults) {
  auto settings = read_entry<upstreams::OpenapiSettings>(entry, file, path, faults);
  auto plan = upstreams::plan_openapi(name, settings);
  if (!plan) add_fault(faults, file, entry, path, plan.error().message);
  return [plan = plan ? *plan : upstreams::OpenapiPlan()](const UpstreamContext& context) {
    return std::make_shared<upstreams::OpenapiUpstream>(plan, context.workers, context.watcher,
                                                        context.registry, context.parsers,
                                                        access_for(plan.auth, context));
  };
}

MakeUpstream read_sandbox(const std::string& name, const config::Node& entry,
                          const std::string& file, const std::string& path,
                          config::Faults& faults) {
  auto settings = read_entry<upstreams::SandboxSettings>(entry, file, path, faults);
  check_egress(upstreams::isolation_of(settings), entry, file, path, faults);
  if (!settings.egress.empty() && settings.engine != upstreams::SandboxEngine::bubblewrap) {
    add_fault(faults, file, entry, path + ".egress",
              "is for `engine: bubblewrap`; other engines control their network themselves");
  }
  return [name, settings](const UpstreamContext& context) {
    return std::make_shared<upstreams::SandboxUpstream>(name, settings, context.workers,
                                                        context.watcher, context.registry);
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

template <config::Section S>
constexpr UpstreamKind kind_of(std::string_view name, std::string_view meaning,
                               decltype(UpstreamKind::read) read) {
  return {name, meaning, config::shape_of<S>, config::fields<S>, read};
}

constexpr std::array kUpstreamKinds{
    kind_of<upstreams::StdioSettings>("stdio", "A program that speaks MCP on its stdin and stdout.",
                                      read_stdio),
    kind_of<upstreams::HttpSettings>(
        kHttp, "An MCP server over HTTP. The gateway detects its revision and transport.",
        read_http_kind<kHttp>),
    kind_of<upstreams::HttpSettings>(
        kSse, "An MCP server with the HTTP+SSE transport of the first revision only.",
        read_http_kind<kSse>),
    kind_of<upstreams::HttpSettings>(
        kCustomSse,
        "An MCP server that takes POST at the URL + /message and sends replies on the event "
        "stream at the URL + /sse.",
        read_http_kind<kCustomSse>),
    kind_of<upstreams::TcpSettings>("tcp", "An MCP server on a TCP socket, one message per line.",
                                    read_tcp),
    kind_of<upstreams::UnixSettings>(
        "unix", "An MCP server on a Unix socket, one message per line.", read_unix),
    kind_of<upstreams::WireTcpSettings>(
        "wire-tcp", "Another gateway, over the wire protocol on TCP.", read_wire_tcp),
    kind_of<upstreams::WsSettings>(
        "ws", "An MCP server over WebSocket: plain MCP, or the envelopes of the wire protocol.",
        read_ws),
    kind_of<upstreams::OpenapiSettings>(
        "openapi", "An HTTP service with an OpenAPI document. Each operation becomes a tool.",
        read_openapi),
    kind_of<upstreams::KafkaSettings>(
        "kafka", "Agents on Kafka topics, and topics without an agent.", read_kafka),
    kind_of<upstreams::SandboxSettings>("sandbox", "Sandboxes for untrusted code.", read_sandbox),
    kind_of<BuiltinSettings>("builtin", "The skills compiled into the gateway.", read_builtin),
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
