// osquery: the osquery MCP server on stdin and stdout.
#include "app/run_gateway.h"
#include "cli/commands.h"
#include "cli/stdio_session.h"
#include "config/fields.h"
#include "config/load.h"
#include "core/environment.h"
#include "upstreams/osquery/upstream.h"

namespace patchbay::app {
namespace {

constexpr std::string_view kName = "osquery";

// Added to the time of a query: for stopping it and answering.
constexpr config::Duration kMargin{5'000};

gateway::Identity identity() {
  gateway::Identity identity;
  identity.name = "osquery-mcp-server";
  identity.title = "";
  identity.version = "1.0.0";
  identity.capabilities = R"({"tools":{}})";
  identity.only_fixed_tools = true;
  identity.if_unnamed = mcp::Revision::v2024_11_05;
  return identity;
}

osquery::Settings read_settings(const OsqueryOptions& options, config::Faults& faults,
                                config::Faults& notes) {
  config::Node root;
  root.kind = config::Kind::map;
  if (!options.config.empty()) {
    root = config::load_file(options.config, faults);
    if (root.kind == config::Kind::null) root.kind = config::Kind::map;
  }
  auto settings = config::read<osquery::Settings>(root, options.config, "", faults, {}, &notes);
  settings.engine = chosen<osquery::Engine>(options.engine).value_or(settings.engine);
  if (!options.osqueryi.empty()) settings.osqueryi = options.osqueryi;
  if (options.extra_tools) settings.extra_tools = true;
  if (!options.timeout.empty()) {
    auto timeout = config::parse_duration(options.timeout);
    if (timeout && timeout->count() > 0) {
      settings.timeout = *timeout;
    } else {
      faults.push_back({"--timeout", 0, "", "must be a time such as 30s"});
    }
  }
  return settings;
}

bool is_debugging() {
  const std::string asked = read_variable("MCP_DEBUG").value_or("");
  return !asked.empty() && asked != "0";
}

Configuration configuration_of(const osquery::Settings& settings) {
  Configuration configuration;
  configuration.identity = identity();
  configuration.settings.workers = 1;
  configuration.settings.names.prefix = gateway::Prefix::never;
  // The tools accept aliases of their arguments, and report missing ones themselves.
  configuration.settings.validation.arguments = gateway::Validation::off;
  configuration.settings.limits.call = settings.timeout + kMargin;
  // A client that pipes one request in and closes the pipe still gets the answer.
  configuration.settings.stop.grace = settings.timeout + kMargin;
  configuration.settings.log.level = log::Level::warn;
  configuration.settings.log.calls = false;
  configuration.upstreams.push_back(
      {std::string(kName), std::string(kName), "", {}, [settings](const UpstreamContext& context) {
         return std::make_shared<osquery::OsqueryUpstream>(
             std::string(kName), settings, *context.workers.front(), context.watcher);
       }});
  return configuration;
}

}  // namespace

int serve_osquery(const OsqueryOptions& options) {
  config::Faults faults;
  config::Faults notes;
  const osquery::Settings settings = read_settings(options, faults, notes);
  if (!faults.empty()) {
    print_faults(faults);
    return kExitConfiguration;
  }
  Configuration configuration = configuration_of(settings);
  configuration.notes = std::move(notes);
  auto& log = configuration.settings.log;
  if (is_debugging()) {
    log.level = log::Level::debug;
    log.calls = log.messages = true;
  }
  log.level = chosen<log::Level>(options.log_level).value_or(log.level);
  log.format = chosen<log::Format>(options.log_format).value_or(log.format);
  StdioSession session;
  return run_gateway(std::move(configuration), {},
                     [&](Gateway& gateway) { return gateway.serve_one(session); });
}

}  // namespace patchbay::app
