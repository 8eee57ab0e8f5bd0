#include "cli/edit_options.h"

#include <CLI/CLI.hpp>

#include "cli/usage.h"

namespace patchbay::app {

void add_init_options(CLI::App& command, InitOptions& options) {
  command.add_option("file", options.file, "The file to write.")->capture_default_str();
  command.add_flag("--json", options.json, "Print the result, and errors, as JSON.");
}

void add_edit_options(CLI::App& command, EditOptions& options, bool adds) {
  command.add_option("name", options.name, "The name of the upstream.")->required();
  command.add_option("-c,--config", options.config,
                     "The configuration; default: PATCHBAY_CONFIG, then ./patchbay.yaml.");
  command.add_flag("--dry-run", options.dry_run, "Shows the change, and writes nothing.");
  command.add_flag("--json", options.json, "Print the result, and errors, as JSON.");
  if (!adds) return;
  command
      .add_option("--env", options.env,
                  "NAME=VALUE: an environment variable of the command; may be repeated.")
      ->allow_extra_args(false);
  command
      .add_option("--header", options.headers,
                  "NAME=VALUE: a header for requests to the URL; may be repeated.")
      ->allow_extra_args(false);
  command.add_option("args", options.args, "A command with its arguments, or one URL.");
}

void add_connect_options(CLI::App& command, ConnectOptions& options) {
  command.add_option("client", options.client, "The client.")
      ->required()
      ->check(one_of(client_names()));
  command.add_option(
      "--url", options.url,
      "URL of the gateway; default: PATCHBAY_URL, or `listen` of the configuration.");
  command.add_flag("--stdio", options.stdio,
                   "The client starts a gateway of its own, instead of using the running one.");
  command.add_option("-c,--config", options.config, "The configuration of the gateway.");
  command.add_flag("--auth", options.auth,
                   "The client sends the token in its variable PATCHBAY_TOKEN; default: if the "
                   "configuration has `auth`.");
  command.add_option("--token-file", options.token_file,
                     "File with the token, which the client's router sends.");
  command.add_option("--name", options.name, "What the client calls the gateway.")
      ->capture_default_str();
  command.add_flag("--project", options.project, "Writes the file of the project in this folder.");
  command.add_option("--file", options.file, "The file of the client, if it is elsewhere.");
  command.add_flag("--dry-run", options.dry_run, "Shows the change, and writes nothing.");
  command.add_flag("--json", options.json, "Print the result, and errors, as JSON.");
}

}  // namespace patchbay::app
