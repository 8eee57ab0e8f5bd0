// token create, list, revoke, hash: the commands around the file of tokens.
#include <fmt/chrono.h>
#include <fmt/format.h>

#include <cstdio>
#include <iostream>

#include "app/configuration.h"
#include "app/run_gateway.h"
#include "app/token_file.h"
#include "cli/commands.h"
#include "cli/failure.h"
#include "cli/terminal.h"
#include "json/text.h"
#include "policy/auth/token_table.h"

namespace patchbay::app {
namespace {

using policy::StoredToken;
using policy::TokenTable;

std::int64_t now() {
  return std::chrono::duration_cast<std::chrono::seconds>(
             std::chrono::system_clock::now().time_since_epoch())
      .count();
}

// The file that was named, or that the configuration names.
Result<std::string> token_file(const TokenOptions& options) {
  if (!options.file.empty()) return options.file;
  const std::string file = choose_configuration(options.config);
  config::Faults faults;
  const Configuration configuration = load_configuration(file, {}, faults);
  const std::string& named = configuration.settings.auth.token_file;
  if (!named.empty()) return named;
  if (!faults.empty()) return Error{Code::invalid_params, config::to_string(faults.front())};
  return Error{Code::invalid_params,
               "which file? use --file, or set auth.token_file in the configuration"};
}

std::string day(std::int64_t seconds) {
  return fmt::format("{:%Y-%m-%d}", fmt::gmtime(static_cast<std::time_t>(seconds)));
}

std::string joined(const std::vector<std::string>& list) {
  std::string text;
  for (const auto& one : list) text += (text.empty() ? "" : ",") + one;
  return text.empty() ? "-" : text;
}

}  // namespace

int create_token(const TokenOptions& options) {
  auto path = token_file(options);
  if (!path) return failed(path.error().message, kExitConfiguration);
  const policy::NewToken made = policy::make_token();
  auto hash = policy::TokenHash::of(made.token);
  if (!hash) return failed(hash.error().message);
  StoredToken token{*std::move(hash), options.name, options.roles, options.scopes, now(), {}};
  if (!options.expires.empty()) {
    auto span = config::parse_duration(options.expires);
    if (!span) return failed("--expires: " + span.error().message, kExitUsage);
    token.expires = token.created + span->count() / 1000;
  }
  auto changed = change_token_file(*path, WhenLocked::wait, [&](TokenTable& table) -> Result<void> {
    if (table.tokens().size() >= TokenTable::kMostTokens) {
      return Error{Code::too_large, "the file has too many tokens; revoke some"};
    }
    table.add(token);
    return ok();
  });
  if (!changed) return failed(changed.error().message);
  if (options.json) {
    std::string line = policy::describe(token);
    line.insert(line.size() - 1, fmt::format(",\"token\":\"{}\"", made.token));
    fmt::print("{}\n", line);
  } else {
    fmt::print(stderr, "patchbay: token {} of {}; it is printed only once\n", made.id,
               options.name);
    fmt::print("{}\n", made.token);
  }
  return kExitOk;
}

int list_tokens(const TokenOptions& options) {
  auto path = token_file(options);
  if (!path) return failed(path.error().message, kExitConfiguration);
  auto table = read_token_file(*path);
  if (!table) return failed(table.error().message);
  if (options.json) {
    std::string all = "[";
    for (const auto& token : table->tokens()) {
      all += (all.size() > 1 ? "," : "") + policy::describe(token);
    }
    fmt::print("{}]\n", all);
    return kExitOk;
  }
  if (table->tokens().empty()) fmt::print(stderr, "{} has no tokens\n", *path);
  for (const auto& token : table->tokens()) {
    const std::string until = !token.expires            ? "never expires"
                              : *token.expires <= now() ? "expired"
                                                        : "expires " + day(*token.expires);
    fmt::print("{}  {}  roles {}  scopes {}  created {}  {}\n", token.hash.id(), token.name,
               joined(token.roles), joined(token.scopes), day(token.created), until);
  }
  return kExitOk;
}

int revoke_token(const TokenOptions& options) {
  auto path = token_file(options);
  if (!path) return failed(path.error().message, kExitConfiguration);
  std::size_t revoked = 0;
  auto changed = change_token_file(*path, WhenLocked::wait, [&](TokenTable& table) -> Result<void> {
    revoked = table.revoke(options.name);
    if (revoked > 0) return ok();
    return Error{Code::not_found, fmt::format("there is no token '{}'", options.name)};
  });
  if (!changed) return failed(changed.error().message);
  if (options.json) {
    fmt::print("{{\"revoked\":{}}}\n", revoked);
  } else {
    fmt::print("revoked {}\n", revoked);
  }
  return kExitOk;
}

int hash_token(const TokenOptions& options) {
  std::string token;
  std::getline(std::cin, token);
  if (token.ends_with('\r')) token.pop_back();
  if (token.empty()) return failed("no token on stdin", kExitUsage);
  auto hash = policy::TokenHash::of(token);
  if (!hash) return failed(hash.error().message);
  if (options.json) {
    fmt::print("{{\"hash\":{}}}\n", json::quote(hash->text()));
  } else {
    fmt::print("{}\n", hash->text());
  }
  return kExitOk;
}

}  // namespace patchbay::app
