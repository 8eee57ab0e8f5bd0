#include "cli/token_commands.h"

#include <CLI/CLI.hpp>

namespace patchbay::app {

TokenCommands::TokenCommands(CLI::App& token)
    : create_(token.add_subcommand("create", "Creates a token and prints it, only once.")),
      list_(token.add_subcommand("list", "Lists the tokens, not their secrets.")),
      revoke_(token.add_subcommand("revoke", "Revokes tokens; a running gateway follows.")) {
  token.add_subcommand("hash", "Prints the hash of a token on stdin, for auth.tokens.")
      ->add_flag("--json", options_.json, "As a JSON object.");
  token.require_subcommand(1);
  for (auto* const one : {create_, list_, revoke_}) {
    one->add_option("-c,--config", options_.config, "The configuration that names the file.");
    one->add_option("--file", options_.file, "The file of tokens; else auth.token_file.");
  }
  create_->add_option("name", options_.name, "The name of the caller.")->required();
  create_->add_option("--role", options_.roles, "A role of the caller; may be repeated.");
  create_->add_option("--scope", options_.scopes, "A scope of the caller; may be repeated.");
  create_->add_option("--expires", options_.expires, "Lifetime, such as 720h.");
  create_->add_flag("--json", options_.json, "As a JSON object.");
  list_->add_flag("--json", options_.json, "As a JSON array.");
  revoke_->add_option("name", options_.name, "The name, for all its tokens, or the id of one.")
      ->required();
  revoke_->add_flag("--json", options_.json, "As a JSON object.");
}

int TokenCommands::run() const {
  if (*create_) return create_token(options_);
  if (*list_) return list_tokens(options_);
  if (*revoke_) return revoke_token(options_);
  return hash_token(options_);
}

}  // namespace patchbay::app
