#include "cli/bus_serve.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdio>

#include "app/run_gateway.h"
#include "app/single_session.h"
#include "cli/commands.h"
#include "core/discard.h"
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

// Lives on the control thread.
class BusSession final : public SingleSession {
 public:
  explicit BusSession(const BusServeOptions& options) : options_(options) {}
  Task<void> run(Context context) override;

 private:
  void print_ready(const std::string& bus, const std::string& group, std::size_t tools) const;

  const BusServeOptions& options_;
};

Task<void> BusSession::run(Context context) {
  auto synced = co_await context.synced.wait();
  discard(synced, "it is only ever delivered without an error");
  const std::chrono::milliseconds timeout(static_cast<std::int64_t>(options_.seconds * 1000));
  auto target = co_await find_bus(options_, here().now() + timeout);
  if (!target) co_return target.error();
  const auto settings = frontend_settings(options_, *target);
  const std::string bus = bus::property(target->connection.properties, "bootstrap.servers");
  const auto ready = [&](std::size_t tools) { print_ready(bus, settings.group, tools); };
  auto talk = [&]() -> Task<void> {
    frontends::KafkaFrontend frontend(context.worker.server(), context.worker.catalog(),
                                      target->connection, target->schemas, settings);
    auto running = frontend.run(ready, context.settings.stop.grace);
    co_return co_await serve_with(context, frontend, std::move(running));
  };
  co_return co_await hop<void>(context.worker.loop(), talk);
}

void BusSession::print_ready(const std::string& bus, const std::string& group,
                             std::size_t tools) const {
  if (options_.json) {
    fmt::print("{{\"bus\":{},\"group\":{},\"tools\":{}}}\n", json::quote(bus), json::quote(group),
               tools);
  } else {
    fmt::print("bus  {}  group {}  {} tools\nready\n", bus, group, tools);
  }
  std::fflush(stdout);
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
  BusSession session(with_file);
  return run_gateway(std::move(configuration), overrides,
                     [&](Gateway& gateway) { return gateway.serve_one(session); });
}

}  // namespace patchbay::app
