#include "cli/router_command.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <CLI/CLI.hpp>

#include <cstdlib>

#include "app/run_gateway.h"
#include "cli/client.h"
#include "cli/commands.h"
#include "cli/usage.h"
#include "config/fields.h"
#include "config/load.h"
#include "net/process/signals.h"
#include "router/router.h"

namespace patchbay::app {
namespace {

void take(std::string& setting, const std::string& given) {
  if (!given.empty()) setting = given;
}

RouterSettings read_settings(const RouterOptions& options, config::Faults& faults,
                             config::Faults& notes) {
  config::Node root;
  root.kind = config::Kind::map;
  if (!options.config.empty()) {
    root = config::load_file(options.config, faults);
    if (root.kind == config::Kind::null) root.kind = config::Kind::map;
  }
  auto router = config::read<RouterSettings>(root, options.config, "", faults, {}, &notes);
  take(router.gateway, options.gateway);
  take(router.tls.ca, options.ca);
  take(router.tls.cert, options.cert);
  take(router.tls.key, options.key);
  take(router.token, default_token());
  take(router.token_file, options.token_file);
  take(router.token_command, options.token_command);
  if (options.connections > 0) router.connections = options.connections;
  if (auto good = check_gateway(router); faults.empty() && !good) {
    faults.push_back({"router", 0, "", good.error().message});
  }
  return router;
}

net::Fd duplicate(int fd) { return net::Fd(::fcntl(fd, F_DUPFD_CLOEXEC, 3)); }

}  // namespace

RouterCommand::RouterCommand(CLI::App& router) {
  const auto option = [&router](const char* name, auto& value, const char* meaning,
                                const char* variable) {
    return router.add_option(name, value, meaning)->envname(variable);
  };
  option("-c,--config", options_.config, "YAML file with the settings of the router.",
         "PATCHBAY_ROUTER_CONFIG");
  option("--gateway", options_.gateway,
         "URL of the gateway: ws(s)://HOST[:PORT]/mcp or tcp(s)://HOST[:PORT].",
         "PATCHBAY_GATEWAY");
  option("--ca", options_.ca, "PEM file of the CA that signs the gateway.", "PATCHBAY_CA")
      ->check(CLI::ExistingFile);
  auto* const cert =
      option("--cert", options_.cert, "PEM file of the client certificate.", "PATCHBAY_CERT")
          ->check(CLI::ExistingFile);
  option("--key", options_.key, "PEM file of its key; default: the same file.", "PATCHBAY_KEY")
      ->check(CLI::ExistingFile)
      ->needs(cert);
  option("--token-file", options_.token_file,
         "File with the token for the gateway; default: PATCHBAY_TOKEN.", "PATCHBAY_TOKEN_FILE");
  option("--token-command", options_.token_command,
         "Command that prints the token, for example from a keyring.", "PATCHBAY_TOKEN_COMMAND");
  option("--connections", options_.connections, "Maximum number of connections to the gateway.",
         "PATCHBAY_CONNECTIONS")
      ->check(CLI::Range(1, 64));
  router.add_option("--log-format", options_.log_format, "text or json")
      ->check(one_of({"text", "json"}));
  router.add_option("--log-level", options_.log_level, "debug, info, warn, error or off")
      ->check(one_of({"debug", "info", "warn", "error", "off"}));
  router.add_flag("-q,--quiet", options_.silent, "Logs nothing.");
}

int RouterCommand::run() const {
  config::Faults faults;
  config::Faults notes;
  const RouterSettings settings = read_settings(options_, faults, notes);
  if (!faults.empty()) {
    print_faults(faults);
    return kExitConfiguration;
  }
  net::block_signals();
  const auto level = chosen<log::Level>(options_.log_level).value_or(settings.log.level);
  log::start(options_.silent ? log::Level::off : level,
             chosen<log::Format>(options_.log_format).value_or(settings.log.format));
  log_notes(notes);
  net::Loop loop;
  int signals_received = 0;
  Router* serving = nullptr;
  auto main = [&]() -> Task<void> {
    Router router(settings, duplicate(STDIN_FILENO), duplicate(STDOUT_FILENO));
    serving = &router;
    // The second signal ends it at once.
    net::Signals signals([&](int) {
      if (++signals_received > 1) std::_Exit(kExitFailed);
      serving->end();
    });
    auto served = co_await router.run();
    loop.quit();
    co_return served;
  };
  Scope scope;
  loop.post([&] { scope.spawn(main()); });
  loop.run();
  log::stop();
  return kExitOk;
}

}  // namespace patchbay::app
