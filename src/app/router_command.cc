// router: MCP on stdin and stdout, passed on to a gateway elsewhere.
#include <fcntl.h>
#include <fmt/format.h>

#include <cstdlib>

#include "app/client.h"
#include "app/commands.h"
#include "app/router.h"
#include "app/run_gateway.h"
#include "config/load.h"
#include "net/signals.h"

namespace patchbay::app {
namespace {

void take(std::string& setting, const std::string& given) {
  if (!given.empty()) setting = given;
}

RouterSettings read_settings(const RouterOptions& options, config::Faults& faults) {
  config::Node root;
  root.kind = config::Kind::map;
  if (!options.config.empty()) {
    root = config::load_file(options.config, faults);
    if (root.kind == config::Kind::null) root.kind = config::Kind::map;
  }
  auto router = config::read<RouterSettings>(root, options.config, "", faults);
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

int route(const RouterOptions& options) {
  config::Faults faults;
  const RouterSettings settings = read_settings(options, faults);
  if (!faults.empty()) {
    print_faults(faults);
    return kExitConfiguration;
  }
  net::block_signals();
  const auto level = chosen<log::Level>(options.log_level).value_or(settings.log.level);
  log::start(options.quiet ? log::Level::off : level,
             chosen<log::Format>(options.log_format).value_or(settings.log.format));
  net::Loop loop;
  int signals_heard = 0;
  Router* serving = nullptr;
  auto main = [&]() -> Task<void> {
    Router router(settings, duplicate(STDIN_FILENO), duplicate(STDOUT_FILENO));
    serving = &router;
    // The second time somebody is in a hurry.
    net::Signals signals([&](int) {
      if (++signals_heard > 1) std::_Exit(kExitFailed);
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
