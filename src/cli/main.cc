// patchbay: the command line. Each subcommand is a function in commands.h.
#include <fmt/format.h>

#include <CLI/CLI.hpp>

#include <algorithm>
#include <functional>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include "agent/settings.h"
#include "app/process.h"
#include "cli/bus_commands.h"
#include "cli/calls_command.h"
#include "cli/commands.h"
#include "cli/duration_option.h"
#include "cli/edit_options.h"
#include "cli/help_commands.h"
#include "cli/router_command.h"
#include "cli/status_command.h"
#include "cli/terminal.h"
#include "cli/token_commands.h"
#include "cli/usage.h"
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
      ->check(app::one_of({"text", "json"}));
  command.add_option("--log-level", options.log_level, "debug, info, warn, error or off")
      ->check(app::one_of({"debug", "info", "warn", "error", "off"}));
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
      ->check(app::one_of({"auto", "osqueryi", "builtin"}));
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

// How to connect to a server.
void add_connection_options(CLI::App& command, app::ClientOptions& options) {
  command.add_option("--timeout", options.seconds, "Time to wait, such as 30s.")
      ->transform(app::seconds_option());
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

void add_client_options(CLI::App& command, app::ClientOptions& options, const char* args) {
  command.add_option("args", options.args, args);
  command.add_flag("--json", options.json, "Print the raw answer.");
  add_connection_options(command, options);
}

void add_audit_options(CLI::App& command, app::AuditOptions& options,
                       app::ClientOptions& connection) {
  command.add_option("args", connection.args,
                     "[TARGET]: a running gateway to ask, instead of the file of a database.");
  command.add_option("-c,--config", options.config, "The configuration that names the database.");
  command.add_option("--database", options.database, "The database itself.");
  command.add_option("--since", options.since, "Not older than this, such as 1h.");
  command.add_option("--until", options.until, "Not newer than this, such as 10m.");
  command.add_option("--caller,--who", options.caller,
                     "The caller's name or id; * and ? match any text.");
  command.add_option("--name", options.name, "The tool, prompt or resource, as requested.");
  command.add_option("--upstream", options.upstream, "The upstream that answered.");
  command.add_option("--outcome", options.outcome,
                     "ok, tool_error, or the name of an error; !ok: any error.");
  command.add_option("--trace", options.trace, "The trace id.");
  command.add_option("--event", options.event,
                     "approval, sign_in, registration or log_in; call: only calls.");
  command.add_option("--limit", options.most, "Maximum number of records.")
      ->check(CLI::Range(1, 1'000'000));
  command.add_flag("--json", options.json, "One JSON object per line.");
  command.add_flag("-f,--follow", options.follow,
                   "Prints the newest records in order, and then new ones as they come.");
  add_connection_options(command, connection);
}

void add_calls_options(CLI::App& command, app::CallsOptions& options) {
  command.add_option("--tool", options.tool, "upstream.tool; * and ? match any text.");
  command.add_option("--upstream", options.upstream, "The upstream that answered.");
  command.add_option("--caller", options.caller, "The caller's name or id.");
  command.add_option("--client", options.client, "Name and version of the client program.");
  command.add_option("--outcome", options.outcome,
                     "ok, tool_error, or the name of an error; !ok: any error.");
  command.add_option("--trace", options.trace, "The trace id, or its first digits.");
  command.add_option("--slower-than", options.slower_than,
                     "Only calls that took at least this long, such as 100ms.");
  command.add_option("--limit", options.most, "Maximum number of calls.")
      ->check(CLI::Range(1, 500))
      ->capture_default_str();
  command.add_flag("-f,--follow", options.follow,
                   "Prints the newest calls in order, and then new ones as they come.");
}

void add_pins_options(CLI::App& command, app::PinsOptions& options) {
  command.add_option("verb", options.verb, "list, diff or accept.")
      ->check(app::one_of({"list", "diff", "accept"}));
  command.add_option("tools", options.tools, "UPSTREAM.TOOL…; without them, all.");
  command.add_option("-c,--config", options.config, "The configuration, for its `state` folder.");
  command.add_option("--state", options.state, "The folder itself.");
  command.add_flag("--all", options.all, "accept: all changed definitions.");
  command.add_flag("--json", options.json, "list: as JSON.");
}

void add_top_options(CLI::App& command, app::TopOptions& options) {
  command.add_option("--sort", options.sort, "The column to sort by.")
      ->check(app::one_of(app::top_columns()))
      ->capture_default_str();
  command.add_flag("--tools", options.tools, "One row for each tool, instead of each upstream.");
  command.add_option("--interval", options.interval, "Time between refreshes, such as 5s.")
      ->capture_default_str();
  command
      .add_option("--count", options.count,
                  "Ends after this many tables; default: 1 if the output is not a terminal.")
      ->check(CLI::Range(1, 1'000'000));
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

// The commands of `patchbay`, each with its options and the function that runs it.
class CommandLine {
 public:
  CommandLine() {
    cli_.set_version_flag("--version", "patchbay " + std::string(kVersion));
    cli_.require_subcommand(0, 1);
    add_servers();
    add_configuration();
    add_editing();
    add_client();
    add_management();
    add_help();
    cli_.footer(
        "Exit codes: 0 done, 1 failed, 2 wrong command line, 3 wrong configuration, 4 the tool "
        "reported an error, 5 no such tool, prompt or resource.");
  }

  int run(int argc, char** argv) {
    std::vector<std::string> args(argv + std::min(argc, 1), argv + argc);
    if (std::ranges::find(args, "--json") != args.end()) app::use_json_errors();
    args = app::mark_program(cli_, std::move(args));
    std::ranges::reverse(args);  // As CLI11 takes them.
    try {
      cli_.parse(std::move(args));
    } catch (const CLI::ParseError& error) {
      return app::report_usage(cli_, error);
    }
    // The agent runs programs as itself, so it must not be protected from them.
    if (*agent_) return app::serve_agent(agent_settings_);
    app::protect_process();
    for (const auto& [command, run] : runs_) {
      if (*command) return run();
    }
    return app::serve(serve_options_);
  }

 private:
  CLI::App& add(const char* name, const char* help, std::function<int()> run) {
    CLI::App* const command = cli_.add_subcommand(name, help);
    runs_.emplace_back(command, std::move(run));
    return *command;
  }

  void add_servers() {
    auto& serve =
        add("serve", "Runs the gateway over HTTP.", [this] { return app::serve(serve_options_); });
    add_serve_options(serve, serve_options_);
    serve.add_option("--listen", serve_options_.listen, "Address and port; overrides the file.");
    serve.add_option("--tls-listen", serve_options_.tls_listen,
                     "The same for the TLS listener, if the file has one.");
    serve.add_option("--wire-listen", serve_options_.wire_listen,
                     "The same for the TCP listener of the wire protocol.");
    add_serve_options(add("stdio", "Runs the gateway on stdin and stdout.",
                          [this] { return app::serve_stdio(serve_options_); }),
                      serve_options_);
    add_osquery_options(add("osquery", "Runs the osquery MCP server on stdin and stdout.",
                            [this] { return app::serve_osquery(osquery_options_); }),
                        osquery_options_);
    router_.emplace(add("router", "Forwards MCP on stdin and stdout to a gateway elsewhere.",
                        [this] { return router_->run(); }));
    add_serve_options(
        add("chat", "Reads goals at a prompt.", [this] { return app::chat(serve_options_); }),
        serve_options_);
    add_sandbox_options(add("sandbox", "Runs a program in a sandbox.",
                            [this] { return app::run_in_sandbox(sandbox_options_); }),
                        sandbox_options_);
    auto& doctor = add("doctor", "Checks what this machine supports.",
                       [this] { return app::doctor(doctor_options_); });
    doctor.add_option("-c,--config", doctor_options_.config,
                      "The file of a gateway, or that of `sandbox`.");
    doctor.add_flag("--json", doctor_options_.json, "As JSON.");
  }

  void add_configuration() {
    auto& check = add("check", "Checks a configuration file.",
                      [this] { return app::check(check_file_, as_json_); });
    check.add_option("file", check_file_, "The file.")->required();
    check.add_flag("--json", as_json_, "The result, and errors, as JSON.");
    add("describe", "Prints the configuration reference.", [this] {
      return app::describe(schema_);
    }).add_flag("--schema,--json", schema_, "As a JSON Schema for editors.");
    auto& import = add("import", "Prints the upstreams of a client's file, or of a list, as YAML.",
                       [this] { return app::import_servers(import_file_, as_json_); });
    import.add_option("file", import_file_, "The file; - is stdin.")->required();
    import.add_flag("--json", as_json_, "The upstreams, and errors, as JSON.");
    auto& openapi = add("openapi", "Prints the OpenAPI document.",
                        [this] { return app::print_openapi(serve_options_, yaml_); });
    add_serve_options(openapi, serve_options_);
    openapi.add_flag("--yaml{true},--json{false}", yaml_, "As YAML, or as JSON, the default.");
    add_audit_options(add("audit", "Prints records of calls, the newest first.",
                          [this] { return app::find_audit(audit_options_, client_options_); }),
                      audit_options_, client_options_);
  }

  void add_editing() {
    add_init_options(add("init", "Writes a configuration to begin with.",
                         [this] { return app::init_configuration(init_options_); }),
                     init_options_);
    add_edit_options(add("add", "Adds an upstream to the configuration: a command, or a URL.",
                         [this] { return app::add_upstream(edit_options_); }),
                     edit_options_, true);
    add_edit_options(add("remove", "Removes an upstream from the configuration.",
                         [this] { return app::remove_upstream(edit_options_); }),
                     edit_options_, false);
    add_connect_options(
        add("connect", "Writes the file of an MCP client, so that it uses the gateway.",
            [this] { return app::connect_client(connect_options_); }),
        connect_options_);
  }

  void add_client() {
    const auto client = [this](const char* name, const char* help, const char* args,
                               int (*run)(const app::ClientOptions&)) -> CLI::App& {
      auto& command = add(name, help, [this, run] { return run(client_options_); });
      add_client_options(command, client_options_, args);
      return command;
    };
    const auto with_output = [this](CLI::App& command) {
      command.add_option("-o,--output", client_options_.output,
                         "Writes images, sounds and blobs, or else the text, to this file; - is "
                         "stdout.");
    };
    client("tools", "Lists the tools of an MCP server.",
           "[TARGET]: http(s)://…, ws(s)://…, tcp(s)://…, 'stdio: command args…', or nothing for "
           "the local gateway.",
           app::list_tools);
    with_output(client("call", "Calls a tool of an MCP server.",
                       "[TARGET] NAME [key=value… | JSON | @FILE | -]", app::call_tool));
    client("resources", "Lists the resources of an MCP server.", "[TARGET]", app::list_resources);
    with_output(
        client("read", "Reads a resource of an MCP server.", "[TARGET] URI", app::read_resource));
    client("prompts", "Lists the prompts of an MCP server, or gets one.",
           "[TARGET] [NAME [key=value… | JSON | @FILE | -]]", app::use_prompts);
  }

  void add_management() {
    token_.emplace(
        add("token", "Manages the tokens of callers.", [this] { return token_->run(); }));
    bus_.emplace(
        add("bus", "Uses agents and records on a Kafka bus.", [this] { return bus_->run(); }));
    wire_.emplace(add("wire", "Prints and sends frames of the wire protocol, for debugging.",
                      [this] { return wire_->run(); }));
    auto& approve = add("approve", "Approves a pending call, or lists the pending ones.",
                        [this] { return app::approve(client_options_, refuse_); });
    add_client_options(approve, client_options_, "[TARGET] [ID]; without ID, lists pending calls.");
    approve.add_flag("--refuse", refuse_, "Refuses the call instead.");
    auto& login = add("login", "Signs in to an upstream.",
                      [this] { return app::log_in(client_options_, own_, false); });
    add_client_options(login, client_options_, "[TARGET] UPSTREAM");
    login.add_flag("--gateway", own_, "For the gateway's own connection, which fetches the lists.");
    auto& logout = add("logout", "Signs out of an upstream.",
                       [this] { return app::log_in(client_options_, own_, true); });
    add_client_options(logout, client_options_, "[TARGET] UPSTREAM");
    logout.add_flag("--gateway", own_, "For the gateway's own connection.");
    add_client_options(
        add("status", "Shows the state, the upstreams and the load of a running gateway.",
            [this] { return app::show_status(client_options_); }),
        client_options_, "[TARGET]");
    auto& cluster = add("cluster", "Shows the gateways that act as one with a running gateway.",
                        [this] { return app::show_cluster(client_options_); });
    cluster.require_subcommand(1);
    add_client_options(*cluster.add_subcommand("status", "Lists them."), client_options_,
                       "[TARGET]");
    auto& top = add("top", "Shows the load of a running gateway as a table that is refreshed.",
                    [this] { return app::show_top(client_options_, top_options_); });
    add_client_options(top, client_options_, "[TARGET]");
    add_top_options(top, top_options_);
    auto& calls = add("calls", "Lists the finished calls that a running gateway remembers.",
                      [this] { return app::show_calls(client_options_, calls_options_); });
    add_client_options(calls, client_options_, "[TARGET]");
    add_calls_options(calls, calls_options_);
    add_client_options(add("trace", "Shows the stages of a finished call with their times.",
                           [this] { return app::show_trace(client_options_); }),
                       client_options_,
                       "[TARGET] [ID]: a trace id, or at least its first 8 digits; last, the "
                       "default, slowest or failed.");
    add_pins_options(add("pins", "Lists changed tool definitions, and accepts them.",
                         [this] { return app::pins(pins_options_); }),
                     pins_options_);
    agent_ = cli_.add_subcommand(
        "agent", "Runs programs and moves files for a host: the guest in a sandbox.");
    add_agent_options(*agent_, agent_settings_);
  }

  void add_help() {
    add_help_options(add("help", "Prints the help of a command.",
                         [this] { return app::print_help(cli_, help_options_); }),
                     help_options_);
    auto& version = add("version", "Prints the version.",
                        [this] { return app::print_version(verbose_, as_json_); });
    version.add_flag("--verbose", verbose_, "Also the compiler and the libraries of the build.");
    version.add_flag("--json", as_json_, "As JSON.");
    add_completion_options(
        add("completion", "Prints a script that completes command lines in a shell.",
            [this] { return app::print_completion(cli_, help_options_); }),
        help_options_);
    add_manual_options(add("man", "Prints the manual page; to read it: patchbay man | man -l -",
                           [this] { return app::print_manual(cli_, help_options_); }),
                       help_options_);
  }

  CLI::App cli_{"Patchbay: a gateway between AI agents and tools.", "patchbay"};
  std::vector<std::pair<CLI::App*, std::function<int()>>> runs_;
  app::ServeOptions serve_options_;
  app::OsqueryOptions osquery_options_;
  app::AuditOptions audit_options_;
  app::SandboxOptions sandbox_options_;
  app::DoctorOptions doctor_options_;
  app::ClientOptions client_options_;
  app::PinsOptions pins_options_;
  app::TopOptions top_options_;
  app::CallsOptions calls_options_;
  app::InitOptions init_options_;
  app::EditOptions edit_options_;
  app::ConnectOptions connect_options_;
  app::HelpOptions help_options_;
  agent::Settings agent_settings_;
  std::optional<app::RouterCommand> router_;
  std::optional<app::TokenCommands> token_;
  std::optional<app::BusCommands> bus_;
  std::optional<app::WireCommands> wire_;
  CLI::App* agent_ = nullptr;
  std::string check_file_;
  std::string import_file_;
  bool as_json_ = false;
  bool verbose_ = false;
  bool refuse_ = false;
  bool own_ = false;
  bool schema_ = false;
  bool yaml_ = false;
};

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
  CommandLine command_line;
  return command_line.run(argc, argv);
}
