// patchbay: the command line. Each subcommand is a function in commands.h.
#include <CLI/CLI.hpp>

#include <string_view>

#include "agent/settings.h"
#include "app/process.h"
#include "cli/bus_commands.h"
#include "cli/commands.h"
#include "cli/router_command.h"
#include "cli/token_commands.h"
#include "cli/wire_commands.h"
#include "core/version.h"
#include "osquery/query_process.h"
#include "sandbox/confine.h"
#include "sandbox/inside.h"
#include "sandbox/relay.h"

using namespace patchbay;

namespace {

template <class Options>
void add_log_options(CLI::App& command, Options& options) {
  command.add_option("--log-format", options.log_format, "text or json")
      ->check(CLI::IsMember({"text", "json"}));
  command.add_option("--log-level", options.log_level, "debug, info, warn, error or off")
      ->check(CLI::IsMember({"debug", "info", "warn", "error", "off"}));
}

void add_serve_options(CLI::App& command, app::ServeOptions& options) {
  command.add_option("-c,--config", options.config,
                     "YAML file, or the JSON of a desktop client. Default: PATCHBAY_CONFIG, then "
                     "./patchbay.yaml, then the built-in defaults.");
  command.add_option("--properties", options.properties,
                     "application.properties of a Spring application; overrides the file.");
  add_log_options(command, options);
}

void add_osquery_options(CLI::App& command, app::OsqueryOptions& options) {
  command.add_option("-c,--config", options.config, "YAML file with the settings of the server.");
  command
      .add_option("--engine", options.engine,
                  "auto: osqueryi where it is installed, else the built-in tables; or one of them.")
      ->check(CLI::IsMember({"auto", "osqueryi", "builtin"}));
  command.add_option("--osqueryi", options.osqueryi, "The program osqueryi, if not in PATH.");
  command.add_option("--timeout", options.timeout, "The maximum time of a query, such as 30s.");
  command.add_flag("--extra-tools", options.extra_tools,
                   "Offers list_tables, describe_table, get_processes and templates.");
  add_log_options(command, options);
}

void add_sandbox_options(CLI::App& command, app::SandboxOptions& options) {
  command.add_option("-c,--config", options.config,
                     "YAML file that limits what it may see, reach and use.");
  command.add_option("--timeout", options.timeout, "The maximum run time, such as 30s.");
  command.add_option("args", options.args, "The program, as found inside, and its arguments.")
      ->required();
}

void add_audit_options(CLI::App& command, app::AuditOptions& options) {
  command.add_option("-c,--config", options.config, "The configuration that names the database.");
  command.add_option("--database", options.database, "The database itself.");
  command.add_option("--since", options.since, "Not older than this, such as 1h.");
  command.add_option("--until", options.until, "Not newer than this, such as 10m.");
  command.add_option("--caller,--who", options.caller,
                     "The caller's name or id; * and ? match any text.");
  command.add_option("--name", options.name, "The tool, prompt or resource, as requested.");
  command.add_option("--upstream", options.upstream, "The upstream that answered.");
  command.add_option("--outcome", options.outcome, "ok, or the name of an error; !ok: any error.");
  command.add_option("--trace", options.trace, "The trace id.");
  command.add_option("--event", options.event,
                     "approval, sign_in, registration or log_in; call: only calls.");
  command.add_option("--limit", options.most, "Maximum number of records.")
      ->check(CLI::Range(1, 1'000'000));
  command.add_flag("--json", options.json, "One JSON object per line.");
}

void add_client_options(CLI::App& command, app::ClientOptions& options, const char* args) {
  command.add_option("args", options.args, args);
  command.add_flag("--json", options.json, "Print the raw answer.");
  command.add_option("--timeout", options.seconds, "Seconds to wait.")
      ->check(CLI::Range(0.1, 86400.0));
  command.add_option("--ca", options.ca, "PEM file of the CA that signs an https server.")
      ->check(CLI::ExistingFile);
  auto* const cert =
      command.add_option("--cert", options.cert, "PEM file of the client certificate.")
          ->check(CLI::ExistingFile);
  command.add_option("--key", options.key, "PEM file of its key; default: the same file.")
      ->check(CLI::ExistingFile)
      ->needs(cert);
  command.add_option("--token", options.token,
                     "Bearer token; better in PATCHBAY_TOKEN, where other users do not "
                     "see it.");
}

void add_pins_options(CLI::App& command, app::PinsOptions& options) {
  command.add_option("verb", options.verb, "list, diff or accept.")
      ->check(CLI::IsMember({"list", "diff", "accept"}));
  command.add_option("tools", options.tools, "UPSTREAM.TOOL…; without them, all.");
  command.add_option("-c,--config", options.config, "The configuration, for its `state` folder.");
  command.add_option("--state", options.state, "The folder itself.");
  command.add_flag("--all", options.all, "accept: all changed definitions.");
  command.add_flag("--json", options.json, "list: as JSON.");
}

void add_agent_options(CLI::App& command, agent::Settings& settings) {
  command.add_option("--listen", settings.listen, std::string(agent::kListenMeaning));
  command.add_option("--root", settings.root, std::string(agent::kRootMeaning));
  command.add_option("--token-file", settings.token_file, std::string(agent::kTokenMeaning));
  command.add_flag("--null-id", settings.null_id, std::string(agent::kNullIdMeaning));
  command.add_flag("--guard", settings.guard, std::string(agent::kGuardMeaning));
  for (const auto& option : agent::kNumberOptions) {
    command
        .add_option(std::string(option.name), settings.*option.value, std::string(option.meaning))
        ->check(CLI::Range(option.least, option.most))
        ->capture_default_str();
  }
}

// Started under this name, with or without a suffix, patchbay is the osquery server.
bool is_osquery_server(std::string_view program) {
  return program.substr(program.rfind('/') + 1).starts_with("osquery-mcp-server");
}

int run_osquery_server(int argc, char** argv) {
  CLI::App cli("The osquery MCP server on stdin and stdout.", "osquery-mcp-server");
  app::OsqueryOptions options;
  add_osquery_options(cli, options);
  try {
    cli.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    return cli.exit(error) == 0 ? app::kExitOk : app::kExitUsage;
  }
  app::protect_process();
  return app::serve_osquery(options);
}

}  // namespace

int main(int argc, char** argv) {
  if (argc == 2 && std::string_view(argv[1]) == sandbox::kConfineCommand) return sandbox::confine();
  if (argc > 2 && std::string_view(argv[1]) == sandbox::kInsideCommand) {
    return sandbox::run_inside({argv + 2, argv + argc});
  }
  if (argc > 2 && std::string_view(argv[1]) == sandbox::kRelayCommand) {
    return sandbox::run_relay({argv + 2, argv + argc});
  }
  if (argc == 3 && std::string_view(argv[1]) == osquery::kQueriesCommand) {
    return osquery::answer_queries(argv[2]);
  }
  if (argc > 0 && is_osquery_server(argv[0])) return run_osquery_server(argc, argv);
  CLI::App cli("Patchbay: a gateway between AI agents and tools.", "patchbay");
  cli.set_version_flag("--version", "patchbay " + std::string(kVersion));
  cli.require_subcommand(0, 1);

  app::ServeOptions serve_options;
  app::OsqueryOptions osquery_options;
  app::AuditOptions audit_options;
  app::SandboxOptions sandbox_options;
  app::DoctorOptions doctor_options;
  app::ClientOptions client_options;
  bool refuse = false;
  app::PinsOptions pins_options;
  agent::Settings agent_settings;
  std::string check_file;
  std::string import_file;
  bool own = false;
  bool schema = false;
  bool yaml = false;

  auto* const serve = cli.add_subcommand("serve", "Runs the gateway over HTTP.");
  add_serve_options(*serve, serve_options);
  serve->add_option("--listen", serve_options.listen, "Address and port; overrides the file.");
  serve->add_option("--tls-listen", serve_options.tls_listen,
                    "The same for the TLS listener, if the file has one.");
  serve->add_option("--wire-listen", serve_options.wire_listen,
                    "The same for the TCP listener of the wire protocol.");
  auto* const stdio = cli.add_subcommand("stdio", "Runs the gateway on stdin and stdout.");
  add_serve_options(*stdio, serve_options);
  auto* const osquery =
      cli.add_subcommand("osquery", "Runs the osquery MCP server on stdin and stdout.");
  add_osquery_options(*osquery, osquery_options);
  auto* const router =
      cli.add_subcommand("router", "Forwards MCP on stdin and stdout to a gateway elsewhere.");
  const app::RouterCommand router_command(*router);
  auto* const chat = cli.add_subcommand("chat", "Reads goals at a prompt.");
  add_serve_options(*chat, serve_options);
  auto* const sandbox = cli.add_subcommand("sandbox", "Runs a program in a sandbox.");
  add_sandbox_options(*sandbox, sandbox_options);
  auto* const doctor = cli.add_subcommand("doctor", "Checks what this machine supports.");
  doctor->add_option("-c,--config", doctor_options.config,
                     "The file of a gateway, or that of `sandbox`.");
  doctor->add_flag("--json", doctor_options.json, "As JSON.");
  auto* const check = cli.add_subcommand("check", "Checks a configuration file.");
  check->add_option("file", check_file, "The file.")->required();
  auto* const describe = cli.add_subcommand("describe", "Prints the configuration reference.");
  describe->add_flag("--schema", schema, "As a JSON Schema for editors.");
  auto* const import = cli.add_subcommand(
      "import", "Prints the upstreams of a desktop client's file, or of a list, as YAML.");
  import->add_option("file", import_file, "The file; - is stdin.")->required();
  auto* const openapi = cli.add_subcommand("openapi", "Prints the OpenAPI document.");
  add_serve_options(*openapi, serve_options);
  openapi->add_flag("--yaml", yaml, "As YAML.");
  auto* const audit = cli.add_subcommand("audit", "Prints records of calls, the newest first.");
  add_audit_options(*audit, audit_options);
  auto* const tools = cli.add_subcommand("tools", "Lists the tools of an MCP server.");
  add_client_options(
      *tools, client_options,
      "[TARGET]: http(s)://…, ws(s)://…, tcp(s)://…, 'stdio: command args…', or nothing for the "
      "local gateway.");
  auto* const call = cli.add_subcommand("call", "Calls a tool of an MCP server.");
  add_client_options(*call, client_options, "[TARGET] NAME [key=value… | JSON]");
  auto* const resources = cli.add_subcommand("resources", "Lists the resources of an MCP server.");
  add_client_options(*resources, client_options, "[TARGET]");
  auto* const read = cli.add_subcommand("read", "Reads a resource of an MCP server.");
  add_client_options(*read, client_options, "[TARGET] URI");
  auto* const prompts =
      cli.add_subcommand("prompts", "Lists the prompts of an MCP server, or gets one.");
  add_client_options(*prompts, client_options, "[TARGET] [NAME [key=value… | JSON]]");
  auto* const token = cli.add_subcommand("token", "Manages the tokens of callers.");
  const app::TokenCommands token_commands(*token);
  auto* const bus = cli.add_subcommand("bus", "Uses agents and records on a Kafka bus.");
  const app::BusCommands bus_commands(*bus);
  auto* const wire =
      cli.add_subcommand("wire", "Prints and sends frames of the wire protocol, for debugging.");
  const app::WireCommands wire_commands(*wire);
  auto* const approve =
      cli.add_subcommand("approve", "Approves a pending call, or lists the pending ones.");
  add_client_options(*approve, client_options, "[TARGET] [ID]; without ID, lists pending calls.");
  approve->add_flag("--refuse", refuse, "Refuses the call instead.");
  auto* const login = cli.add_subcommand("login", "Signs in to an upstream.");
  add_client_options(*login, client_options, "[TARGET] UPSTREAM");
  login->add_flag("--gateway", own, "For the gateway's own connection, which fetches the lists.");
  auto* const logout = cli.add_subcommand("logout", "Signs out of an upstream.");
  add_client_options(*logout, client_options, "[TARGET] UPSTREAM");
  logout->add_flag("--gateway", own, "For the gateway's own connection.");
  auto* const pins =
      cli.add_subcommand("pins", "Lists changed tool definitions, and accepts them.");
  add_pins_options(*pins, pins_options);
  auto* const agent = cli.add_subcommand(
      "agent", "Runs programs and moves files for a host: the guest in a sandbox.");
  add_agent_options(*agent, agent_settings);
  cli.footer(
      "Exit codes: 0 done, 1 failed, 2 wrong command line, 3 wrong configuration, 4 the tool "
      "reported an error, 5 no such tool, prompt or resource.");

  try {
    cli.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    return cli.exit(error) == 0 ? app::kExitOk : app::kExitUsage;
  }
  if (*agent) return app::serve_agent(agent_settings);  // It runs programs as itself.
  app::protect_process();
  if (*stdio) return app::serve_stdio(serve_options);
  if (*osquery) return app::serve_osquery(osquery_options);
  if (*router) return router_command.run();
  if (*chat) return app::chat(serve_options);
  if (*sandbox) return app::run_in_sandbox(sandbox_options);
  if (*doctor) return app::doctor(doctor_options);
  if (*check) return app::check(check_file);
  if (*describe) return app::describe(schema);
  if (*import) return app::import_servers(import_file);
  if (*openapi) return app::print_openapi(serve_options, yaml);
  if (*audit) return app::find_audit(audit_options);
  if (*tools) return app::list_tools(client_options);
  if (*call) return app::call_tool(client_options);
  if (*resources) return app::list_resources(client_options);
  if (*read) return app::read_resource(client_options);
  if (*prompts) return app::use_prompts(client_options);
  if (*token) return token_commands.run();
  if (*bus) return bus_commands.run();
  if (*wire) return wire_commands.run();
  if (*approve) return app::approve(client_options, refuse);
  if (*login) return app::log_in(client_options, own, false);
  if (*logout) return app::log_in(client_options, own, true);
  if (*pins) return app::pins(pins_options);
  return app::serve(serve_options);
}
