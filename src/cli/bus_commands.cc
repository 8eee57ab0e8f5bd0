#include "cli/bus_commands.h"

#include <CLI/CLI.hpp>

#include "bus/registration.h"

namespace patchbay::app {
namespace {

// Refuses what no bus would take as the name of a topic.
CLI::Validator topic_name() {
  const auto fault = [](const std::string& name) -> std::string {
    if (bus::is_topic_name(name)) return {};
    return name + " is no name of a topic: letters, digits, '.', '_' and '-'";
  };
  return {fault, "TOPIC"};
}

void add_bus_options(CLI::App& command, BusOptions& options) {
  command.add_option("--broker", options.broker,
                     "host:port of a broker, or several with commas. Else that of --config, of "
                     "BROKER_URL, or the bus inside the gateway on this machine.");
  command.add_option("--schema-registry", options.schema_registry,
                     "http(s)://… of a Schema Registry.");
  command.add_option("--registry-topic", options.registry_topic,
                     "Where agents register; else _agent_registry.");
  command.add_option("-X,--property", options.properties,
                     "name=value: a property of librdkafka; may be repeated.");
  command.add_option("-c,--config", options.config,
                     "A configuration with an upstream of kind kafka.");
  command.add_option("--upstream", options.upstream, "Which one, if it has several.");
  command.add_option("--timeout", options.seconds, "Seconds to wait.")
      ->check(CLI::Range(0.1, 86400.0));
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
  lag_->add_option("topics", lag_options_.topics, "Topics; without them, all it has read.")
      ->check(topic_name());
  add_serve(bus);
}

void BusCommands::add_serve(CLI::App& bus) {
  auto& options = serve_options_;
  serve_ = bus.add_subcommand(
      "serve", "Puts the tools of a configuration on the bus, as agents that share the work.");
  add_bus_options(*serve_, options);
  serve_->add_option("--group", options.group, "The consumer group; else patchbay.");
  serve_->add_option("--prefix", options.prefix, "What the names on the bus begin with.");
  serve_->add_option("--partitions", options.partitions, "Of topics that have to be made.")
      ->check(CLI::Range(1, 1000));
  serve_->add_option("--at-once", options.at_once, "Requests that are dealt with at a time.")
      ->check(CLI::Range(1, 10'000));
  serve_->add_flag("--unregister", options.unregister,
                   "Takes the registrations back when it ends.");
  serve_->add_option("--log-format", options.log_format, "text or json")
      ->check(CLI::IsMember({"text", "json"}));
  serve_->add_option("--log-level", options.log_level, "debug, info, warn, error or off")
      ->check(CLI::IsMember({"debug", "info", "warn", "error", "off"}));
}

void BusCommands::add_register(CLI::App& bus) {
  auto& options = registration_;
  register_ = bus.add_subcommand("register", "Registers an agent, and makes its topics.");
  add_bus_options(*register_, options);
  register_->add_option("--name", options.name, "How it is called.")->required();
  register_->add_option("--description", options.description, "What it does.")->required();
  register_->add_option("--request-topic", options.request_topic, "Where it hears.")->required();
  register_->add_option("--response-topic", options.response_topic, "Where it answers.")
      ->required();
  register_->add_option("--correlation-field", options.correlation_field,
                        "The member of a key that holds the id; else correlationId.");
  register_->add_option("--mime-type", options.mime_type, "Of a resource.");
  register_->add_option("--url", options.url, "Of a resource; may be a template: client/{id}.");
  register_
      ->add_option("--retrieval", options.retrieval,
                   "Of a resource: request asks the agent, topic takes the latest record of "
                   "the response topic; else as the gateway is set.")
      ->check(CLI::IsMember({"request", "topic"}));
  register_->add_option("--request-schema", options.request_schema,
                        "A file with the JSON Schema of requests, for the registry.");
  register_->add_option("--response-schema", options.response_schema, "The same of replies.");
  register_->add_option("--partitions", options.partitions, "Of topics that have to be made.")
      ->check(CLI::Range(1, 1000));
  unregister_ = bus.add_subcommand("unregister", "Takes a registration back.");
  add_bus_options(*unregister_, options);
  unregister_->add_option("name", options.name, "How it is called.")->required();
}

void BusCommands::add_records(CLI::App& bus) {
  produce_ = bus.add_subcommand("produce", "Puts a record into a topic.");
  add_bus_options(*produce_, record_);
  produce_->add_option("topic", record_.topic, "The topic.")->required()->check(topic_name());
  key_ = produce_->add_option("--key", record_.key, "Its key.");
  value_ = produce_->add_option("--value", record_.value, "Its value; - or nothing: stdin.");
  produce_->add_flag("--delete", record_.deletes, "Without a value: deletes what the key names.");
  produce_->add_flag("--typed", record_.typed, "Names the newest schema of the topic's values.");
  produce_->add_option("--header", record_.headers, "name=value; may be repeated.");

  consume_ = bus.add_subcommand("consume", "Prints records of a topic, in no group.");
  add_bus_options(*consume_, consume_options_);
  consume_->add_option("topic", consume_options_.topic, "The topic.")
      ->required()
      ->check(topic_name());
  consume_->add_flag("--from-beginning", consume_options_.from_beginning,
                     "All of them, not only those that come from now on.");
  consume_->add_flag("--to-end", consume_options_.to_end, "Stops at what is the end now.");
  consume_->add_option("--count", consume_options_.count, "Stops after so many.")
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
