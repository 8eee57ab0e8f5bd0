#include "cli/bus_target.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "app/client_file.h"
#include "app/upstream_entries.h"
#include "cli/client.h"
#include "config/fields.h"
#include "json/read.h"
#include "net/http/client/pool.h"

namespace patchbay::app {
namespace {

using upstreams::KafkaSettings;

// The settings of an upstream of kind kafka in a file: the one of that name, or the only one.
// Nothing if no name is asked for and the file has none.
Result<std::optional<KafkaSettings>> read_config(const std::string& file, const std::string& name) {
  config::Faults faults;
  config::Faults unread;  // Of servers that are no buses.
  const config::Node root = load_configuration_file(file, faults, unread);
  std::optional<KafkaSettings> found;
  std::string found_name;
  for (const auto& entry : upstream_entries(root, file, "__", faults)) {
    if (entry.kind != "kafka" || (!name.empty() && entry.name != name)) continue;
    if (found) {
      return Error{Code::invalid_params, fmt::format("{} has several buses: --upstream {} or {}?",
                                                     file, found_name, entry.name)};
    }
    static constexpr std::array<std::string_view, 2> kOthers{"kind", "tools"};
    found = config::read<KafkaSettings>(entry.node, file, entry.path, faults, kOthers);
    found_name = entry.name;
  }
  if (!faults.empty()) return Error{Code::invalid_params, config::to_string(faults.front())};
  if (found || name.empty()) return found;
  return Error{Code::invalid_params,
               fmt::format("{} has no upstream {} of kind kafka", file, name)};
}

Result<KafkaSettings> typed_settings(const BusOptions& options) {
  KafkaSettings settings;
  if (!options.config.empty()) {
    auto read = read_config(options.config, options.upstream);
    // A broker that was typed needs no configuration.
    if (!read && options.broker.empty()) return read.error();
    const bool in_file = read && *read;
    if (in_file) settings = **std::move(read);
    const bool elsewhere =
        !options.broker.empty() || upstreams::names_bus(upstreams::process_environment());
    if (!in_file && !elsewhere) {
      return Error{Code::invalid_params,
                   fmt::format("{} has no upstream of kind kafka, and neither --broker nor "
                               "BROKER_URL of the environment names a bus",
                               options.config)};
    }
  }
  const auto set = [&](std::string name, std::string value) {
    std::erase_if(settings.kafka, [&](const auto& one) { return one.first == name; });
    settings.kafka.emplace_back(std::move(name), std::move(value));
  };
  for (const auto& property : options.properties) {
    const auto equals = property.find('=');
    if (equals == std::string::npos) {
      return Error{Code::invalid_params, "--property takes name=value"};
    }
    set(property.substr(0, equals), property.substr(equals + 1));
  }
  if (!options.broker.empty()) {
    set("bootstrap.servers", options.broker);
    settings.bus = upstreams::BusChoice::external;
  }
  if (!options.schema_registry.empty()) settings.schema_registry.url = options.schema_registry;
  if (!options.registry_topic.empty()) settings.registry_topic = options.registry_topic;
  if (settings.client_id.empty()) settings.client_id = "patchbay-bus";
  return settings;
}

// The addresses of the bus that the gateway on this machine reports; empty if it has none.
Task<std::string> ask_gateway(Deadline deadline) {
  const std::string target = default_target();
  auto url = net::parse_url(target);
  if (!url) co_return url.error();
  net::HttpPool pool(*url, nullptr, {});
  std::string fields = "Connection: close\r\n";
  if (const auto token = default_token(); !token.empty()) {
    fields += fmt::format("Authorization: Bearer {}\r\n", token);
  }
  auto response = co_await pool.request({"GET", "/health", fields, "", nullptr}, deadline);
  if (!response) {
    co_return Error{Code::unavailable,
                    fmt::format("no bus is named (--broker), and the gateway at {} does not "
                                "answer: {}",
                                url->origin(), response.error().message)};
  }
  auto body = co_await (*response)->read_all(1 << 20, deadline);
  if (!body) co_return body.error();
  co_return json::check(*body) ? std::string(json::member(*body, "bus").value_or("")) : "";
}

}  // namespace

Task<BusTarget> find_bus(BusOptions options, Deadline deadline) {
  auto settings = typed_settings(options);
  if (!settings) co_return settings.error();
  auto plan = upstreams::plan_kafka("bus", *settings, upstreams::process_environment());
  if (!plan) co_return plan.error();
  BusTarget target{plan->connection, plan->schemas, plan->registry_topic};
  target.connection.name = plan->client_id;
  if (!target.connection.embedded) co_return target;
  // It is in another process, which knows its address.
  auto bus = co_await ask_gateway(deadline);
  if (!bus) co_return bus.error();
  if (bus->empty()) {
    co_return Error{Code::unavailable,
                    "no bus is named (--broker), and the gateway on this machine has none"};
  }
  target.connection.properties.emplace_back("bootstrap.servers",
                                            json::string_member(*bus, "bootstrap").value_or(""));
  if (!target.schemas) {
    auto url = net::parse_url(json::string_member(*bus, "schema_registry").value_or(""));
    if (url) target.schemas = bus::RegistrySettings{.url = *std::move(url)};
  }
  co_return target;
}

}  // namespace patchbay::app
