#include "app/bus_serve.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdio>

#include "app/commands.h"
#include "app/run_gateway.h"
#include "app/worker.h"
#include "async/hop.h"
#include "frontends/kafka/frontend.h"
#include "json/text.h"

namespace patchbay::app {
namespace {

constexpr std::string_view kKafka = "kafka";

frontends::KafkaFrontendSettings frontend_settings(const BusServeOptions& options,
                                                   const BusTarget& target) {
  frontends::KafkaFrontendSettings settings;
  if (!options.group.empty()) settings.group = options.group;
  settings.prefix = options.prefix;
  settings.registry_topic = target.registry_topic;
  settings.partitions = options.partitions;
  settings.unregister = options.unregister;
  settings.limits = options.limits;
  if (options.at_once > 0) settings.limits.at_once = options.at_once;
  return settings;
}

}  // namespace

// Agents on the bus are not put on the bus again.
int bus_serve(const BusServeOptions& options) {
  const std::string file = choose_configuration(options.config);
  Overrides overrides;
  overrides.log_level = chosen<log::Level>(options.log_level);
  overrides.log_format = chosen<log::Format>(options.log_format);
  config::Faults faults;
  Configuration configuration = load_configuration(file, overrides, faults);
  if (!faults.empty()) {
    print_faults(faults);
    return kExitConfiguration;
  }
  std::erase_if(configuration.upstreams, [](const auto& plan) { return plan.kind == kKafka; });
  BusServeOptions with_file = options;
  with_file.config = file;
  with_file.limits = configuration.settings.bus_serve;
  return run_gateway(std::move(configuration), overrides,
                     [&](Gateway& gateway) { return gateway.serve_bus(with_file); });
}

Task<void> serve_on_bus(Worker& owner, Executor& control, const BusServeOptions& options,
                        std::chrono::nanoseconds grace,
                        std::function<void(std::function<void()>)> set_end) {
  const std::chrono::milliseconds timeout(static_cast<std::int64_t>(options.seconds * 1000));
  auto target = co_await find_bus(options, here().now() + timeout);
  if (!target) co_return target.error();
  const auto settings = frontend_settings(options, *target);
  const std::string where = bus::property(target->connection.properties, "bootstrap.servers");
  const auto ready = [&](std::size_t tools) {
    if (options.json) {
      fmt::print("{{\"bus\":{},\"group\":{},\"tools\":{}}}\n", json::quote(where),
                 json::quote(settings.group), tools);
    } else {
      fmt::print("bus  {}  group {}  {} tools\nready\n", where, settings.group, tools);
    }
    std::fflush(stdout);
  };
  auto talk = [&]() -> Task<void> {
    frontends::KafkaFrontend frontend(owner.server(), owner.catalog(), target->connection,
                                      target->schemas, settings);
    owner.catalog().on_change([&frontend](gateway::CatalogChanges&) { frontend.notify_changed(); });
    control.post([&] { set_end([&] { owner.loop().post([&frontend] { frontend.end(); }); }); });
    auto served = co_await frontend.run(ready, grace);
    owner.catalog().on_change({});
    auto forget = [&]() -> Task<void> {
      set_end(nullptr);
      co_return ok();
    };
    auto forgotten = co_await hop<void>(control, forget);
    co_return served;
  };
  co_return co_await hop<void>(owner.loop(), talk);
}

}  // namespace patchbay::app
