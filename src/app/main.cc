// patchbay: the command line. Each subcommand is a function in commands.h.
#include <CLI/CLI.hpp>

#include "app/commands.h"
#include "core/version.h"

using namespace patchbay;

namespace {

void add_serve_options(CLI::App& command, app::ServeOptions& options) {
  command.add_option("-c,--config", options.config,
                     "YAML file, or the JSON of a desktop client. Else PATCHBAY_CONFIG, else "
                     "./patchbay.yaml, else the defaults.");
  command.add_option("--log-format", options.log_format, "text or json")
      ->check(CLI::IsMember({"text", "json"}));
  command.add_option("--log-level", options.log_level, "debug, info, warn, error or off")
      ->check(CLI::IsMember({"debug", "info", "warn", "error", "off"}));
}

void add_client_options(CLI::App& command, app::ClientOptions& options, const char* words) {
  command.add_option("words", options.words, words);
  command.add_flag("--json", options.json, "Print the raw answer.");
  command.add_option("--timeout", options.seconds, "Seconds to wait.")
      ->check(CLI::Range(0.1, 86400.0));
}

}  // namespace

int main(int argc, char** argv) {
  CLI::App cli("Patchbay stands between AI agents and the things they use.", "patchbay");
  cli.set_version_flag("--version", "patchbay " + std::string(kVersion));
  cli.require_subcommand(0, 1);

  app::ServeOptions serve_options;
  app::ClientOptions client_options;
  std::string check_file;
  bool schema = false;
  bool yaml = false;

  auto* const serve = cli.add_subcommand("serve", "The gateway over HTTP.");
  add_serve_options(*serve, serve_options);
  serve->add_option("--listen", serve_options.listen, "Address and port; stands above the file.");
  auto* const stdio = cli.add_subcommand("stdio", "The same catalog on stdin and stdout.");
  add_serve_options(*stdio, serve_options);
  auto* const check = cli.add_subcommand("check", "Checks a configuration file.");
  check->add_option("file", check_file, "The file.")->required();
  auto* const describe = cli.add_subcommand("describe", "Prints the configuration reference.");
  describe->add_flag("--schema", schema, "As a JSON Schema for editors.");
  auto* const openapi = cli.add_subcommand("openapi", "Prints the OpenAPI document.");
  add_serve_options(*openapi, serve_options);
  openapi->add_flag("--yaml", yaml, "As YAML.");
  auto* const tools = cli.add_subcommand("tools", "Lists the tools of an MCP server.");
  add_client_options(*tools, client_options,
                     "[TARGET]: http://…, 'stdio: command args…', or nothing for the local "
                     "gateway.");
  auto* const call = cli.add_subcommand("call", "Calls a tool of an MCP server.");
  add_client_options(*call, client_options, "[TARGET] NAME [key=value… | JSON]");
  cli.footer(
      "Exit codes: 0 done, 1 failed, 2 wrong command line, 3 wrong configuration, 4 the tool "
      "reported an error, 5 unknown tool.");

  try {
    cli.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    return cli.exit(error) == 0 ? app::kExitOk : app::kExitUsage;
  }
  if (*stdio) return app::serve_stdio(serve_options);
  if (*check) return app::check(check_file);
  if (*describe) return app::describe(schema);
  if (*openapi) return app::print_openapi(serve_options, yaml);
  if (*tools) return app::list_tools(client_options);
  if (*call) return app::call_tool(client_options);
  return app::serve(serve_options);
}
