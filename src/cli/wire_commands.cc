#include "cli/wire_commands.h"

#include <CLI/CLI.hpp>

#include "cli/duration_option.h"
#include "cli/usage.h"

namespace patchbay::app {

WireCommands::WireCommands(CLI::App& wire)
    : dump_(wire.add_subcommand("dump", "Prints the frames in a file or on stdin.")) {
  wire.require_subcommand(1);
  auto* const send =
      wire.add_subcommand("send", "Creates a frame and sends or prints it; prints the replies.");
  dump_->add_option("file", options_.file, "The bytes of one direction; - is stdin.");
  dump_->add_flag("--hex", options_.hex, "The input is hexadecimal digits.");
  for (auto* const one : {dump_, send}) {
    one->add_flag("--json", options_.json, "One JSON object per frame and line.");
  }
  send->add_option("target", options_.target,
                   "tcp://host:port or tcps://host:port; - prints the frame instead.")
      ->required();
  send->add_option("payload", options_.payload,
                   "An MCP message, which gets an envelope, or a whole envelope; - is stdin. "
                   "Default: a ping of MCP.");
  send->add_option("--type", options_.type, "data, ping, pong, error or close.")
      ->check(one_of({"data", "ping", "pong", "error", "close"}));
  send->add_option("--header", options_.header, "Size of the header: 7 or 8 bytes.")
      ->check(one_of({"7", "8"}));
  send->add_flag("--gzip", options_.gzip, "Compresses the payload.");
  send->add_option("--bytes", options_.bytes, "Hexadecimal digits to send as they are.");
  send->add_option("--namespace", options_.target_namespace, "The target_namespace.");
  send->add_option("--token", options_.token,
                   "The auth_token; better in PATCHBAY_TOKEN, where other users do not see it.");
  send->add_option("--ca", options_.ca, "PEM file of the CA that signs a tcps server.")
      ->check(CLI::ExistingFile);
  auto* const cert =
      send->add_option("--cert", options_.cert, "PEM file of the client certificate.")
          ->check(CLI::ExistingFile);
  send->add_option("--key", options_.key, "PEM file of its key; default: the same file.")
      ->check(CLI::ExistingFile)
      ->needs(cert);
  send->add_option("--timeout", options_.seconds, "Time to wait for an answer, such as 10s.")
      ->transform(seconds_option());
}

int WireCommands::run() const { return *dump_ ? wire_dump(options_) : wire_send(options_); }

}  // namespace patchbay::app
