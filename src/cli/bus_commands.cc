#include "cli/bus_commands.h"

#include <CLI/CLI.hpp>

#include "bus/registration.h"
#include "cli/duration_option.h"
#include "cli/usage.h"

namespace patchbay::app {
namespace {

// Refuses names that no broker accepts for a topic.
CLI::Validator topic_name() {
  const auto fault = [](const std::string& name) -> std::string {
    if (bus::is_topic_name(name)) return {};
    return name + " is not the name of a topic: letters, digits, '.', '_' and '-'";
  };
  return {fault, "TOPIC"};
}

void add_bus_options(CLI::App& command, BusOptions& options) {
  command.add_option("--broker", options.broker,
                     "host:port of a broker, or several with commas. Default: that of --config, of "
                     "BROKER_URL, or the bus inside the gateway on this machine.");
  command.add_option("--schema-registry", options.schema_registry,
                     "http(s)://… URL of a Schema Registry.");
  command.add_option("--registry-topic", options.registry_topic,
                     "The topic where agents register; default _agent_registry.");
  command.add_option("-X,--property", options.properties,
                     "name=value: a property of librdkafka; may be repeated.");
  command.add_option("-c,--config", options.config,
                     "A configuration with an upstream of kind kafka.");
  command.add_option("--upstream", options.upstream, "Which one, if it has several.");
  command.add_option("--timeout", options.seconds, "Time to wait, such as 30s.")
      ->transform(seconds_option());
  command.add_flag("--json", options.json, "As JSON.");
}

}  // namespace

BusCommands::BusCommands(CLI::App& bus) {
  bus.require_subcommand(1);
  add_register(bus);
  list_ = bus.add_subcommand("list", "Lists what agents have registered.");
  add_bus_options(*list_, list_options_);
  add_records(bus);
  lag_ = bus.add_subcommand("lag", "Shows how far a consumer group is behind.");
  add_bus_options(*lag_, lag_options_);
  lag_->add_option("group", lag_options_.group, "The group.")->required();
  lag_->add_option("topics", lag_options_.topics, "Topics; default: all that it has read.")
      ->check(topic_name());
  add_serve(bus);
}

void BusCommands::add_serve(CLI::App& bus) {
  auto& options = serve_options_;
  serve_ = bus.add_subcommand(
      "serve", "Offers the tools of a configuration on the bus, as agents that share the work.");
  add_bus_options(*serve_, options);
  serve_->add_option("--group", options.group, "The consumer group; default patchbay.");
  serve_->add_option("--prefix", options.prefix, "Prefix of the names on the bus.");
  serve_->add_option("--partitions", options.partitions, "Partitions of topics that are created.")
      ->check(CLI::Range(1, 1000));
  serve_->add_option("--at-once", options.at_once, "Maximum number of concurrent requests.")
      ->check(CLI::Range(1, 10'000));
  serve_->add_flag("--unregister", options.unregister, "Removes the registrations when it ends.");
  serve_->add_option("--log-format", options.log_format, "text or json")
      ->check(one_of({"text", "json"}));
  serve_->add_option("--log-level", options.log_level, "debug, info, warn, error or off")
      ->check(one_of({"debug", "info", "warn", "error", "off"}));
}

void BusCommands::add_register(CLI::App& bus) {
  auto& options = registration_;
  register_ = bus.add_subcommand("register", "Registers an agent, and creates its topics.");
  add_bus_options(*register_, options);
  register_->add_option("--name", options.name, "The name of the agent.")->required();
  register_->add_option("--description", options.description, "What it does.")->required();
  register_->add_option("--request-topic", options.request_topic, "Where it receives requests.")
      ->required();
  register_->add_option("--response-topic", options.response_topic, "Where it sends replies.")
      ->required();
  register_->add_option("--correlation-field", options.correlation_field,
                        "The member of a key that holds the id; default correlationId.");
  register_->add_option("--mime-type", options.mime_type, "Of a resource.");
  register_->add_option("--url", options.url, "Of a resource; may be a template: client/{id}.");
  register_
      ->add_option("--retrieval", options.retrieval,
                   "Of a resource: request asks the agent, topic reads the latest record of "
                   "the response topic; default: the setting of the gateway.")
      ->check(one_of({"request", "topic"}));
  register_->add_option("--request-schema", options.request_schema,
                        "A file with the JSON Schema of requests, for the registry.");
  register_->add_option("--response-schema", options.response_schema, "The same of replies.");
  register_
      ->add_option("--partitions", options.partitions, "Partitions of topics that are created.")
      ->check(CLI::Range(1, 1000));
  unregister_ = bus.add_subcommand("unregister", "Removes a registration.");
  add_bus_options(*unregister_, options);
  unregister_->add_option("name", options.name, "The name of the agent.")->required();
}

void BusCommands::add_records(CLI::App& bus) {
  produce_ = bus.add_subcommand("produce", "Writes a record to a topic.");
  add_bus_options(*produce_, record_);
  produce_->add_option("topic", record_.topic, "The topic.")->required()->check(topic_name());
  key_ = produce_->add_option("--key", record_.key, "Its key.");
  value_ = produce_->add_option("--value", record_.value, "Its value; - or nothing: stdin.");
  produce_->add_flag("--delete", record_.deletes, "Without a value: deletes the key.");
  produce_->add_flag("--typed", record_.typed, "Uses the newest schema of the topic's values.");
  produce_->add_option("--header", record_.headers, "name=value; may be repeated.");

  consume_ = bus.add_subcommand("consume", "Prints records of a topic, without a group.");
  add_bus_options(*consume_, consume_options_);
  consume_->add_option("topic", consume_options_.topic, "The topic.")
      ->required()
      ->check(topic_name());
  consume_->add_flag("--from-beginning", consume_options_.from_beginning,
                     "From the beginning, not only new records.");
  consume_->add_flag("--to-end", consume_options_.to_end, "Stops at the current end.");
  consume_->add_option("--count", consume_options_.count, "Stops after this many records.")
      ->check(CLI::Range(1, 1'000'000'000));
}

int BusCommands::run() const {
  if (*register_) return bus_register(registration_);
  if (*unregister_) return bus_unregister(registration_);
  if (*list_) return bus_list(list_options_);
  if (*produce_) {
    BusRecordOptions record = record_;
    record.has_key = key_->count() > 0;
    record.has_value = value_->count() > 0;
    return bus_produce(record);
  }
  if (*serve_) return bus_serve(serve_options_);
  if (*consume_) return bus_consume(consume_options_);
  return bus_lag(lag_options_);
}

}  // namespace patchbay::app
