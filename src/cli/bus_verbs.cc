#include "cli/bus_verbs.h"

#include <fmt/format.h>

#include <algorithm>
#include <iostream>
#include <iterator>
#include <set>

#include "cli/bus_client.h"
#include "cli/bus_records.h"
#include "cli/commands.h"
#include "cli/terminal.h"
#include "config/file.h"
#include "json/write.h"

namespace patchbay::app {
namespace {

constexpr std::size_t kMostSchema = 1 << 20;

// Writes a registration to the registry topic, or deletes it; under these keys, if there are any.
Task<void> write_registration(BusClient& client, const std::string& name,
                              std::set<std::string> keys, const bus::Registration* registration,
                              Deadline deadline) {
  const std::string topic = client.target().registry_topic;
  auto there = co_await client.consumer().ensure_topic(topic, 1, true, deadline);
  if (!there) co_return there;
  auto schemas = co_await bus::registration_schemas(client.schemas(), topic, deadline);
  if (!schemas) co_return schemas.error();
  if (keys.empty()) keys.insert(bus::registration_key_bytes(*schemas, name));
  for (const auto& key : keys) {
    bus::RegistrationRecord record{key, std::nullopt};
    if (registration) record.value = bus::registration_value_bytes(*schemas, *registration);
    const bus::Outgoing outgoing = record.to(topic);
    auto sent = co_await client.send(outgoing, deadline);
    if (!sent) co_return sent.error();
  }
  co_return ok();
}

Task<void> add_schema(BusClient& client, std::string topic, const std::string& file,
                      Deadline deadline) {
  if (file.empty()) co_return ok();
  if (!client.schemas()) {
    co_return Error{Code::invalid_params, "a schema needs a registry: --schema-registry"};
  }
  auto text = config::read_file(file, kMostSchema);
  if (!text) {
    co_return Error{Code::invalid_params, fmt::format("{} {}", file, text.error().message)};
  }
  auto added = co_await client.schemas()->add(topic + "-value", *text, deadline);
  if (!added) co_return added.error();
  co_return ok();
}

std::vector<std::pair<std::string, std::string>> pairs_of(const std::vector<std::string>& args) {
  std::vector<std::pair<std::string, std::string>> pairs;
  for (const auto& arg : args) {
    const auto equals = arg.find('=');
    pairs.emplace_back(arg.substr(0, equals),
                       equals == std::string::npos ? "" : arg.substr(equals + 1));
  }
  return pairs;
}

// A command that only reads must not make a broker create topics. --property can allow it.
BusOptions looking(BusOptions options) {
  options.properties.insert(options.properties.begin(), "allow.auto.create.topics=false");
  return options;
}

}  // namespace

int bus_register(const BusRegisterOptions& options) {
  bus::Registration wanted{options.name, options.description, options.request_topic,
                           options.response_topic};
  if (!options.correlation_field.empty()) wanted.correlation_field = options.correlation_field;
  wanted.is_resource = !options.url.empty() || !options.mime_type.empty();
  wanted.mime_type = options.mime_type;
  wanted.url = options.url;
  if (!options.retrieval.empty()) wanted.from_topic = options.retrieval == "topic";
  // A registration that no reader would accept is not written.
  auto checked = bus::read_registration(bus::write_registration(wanted));
  if (!checked) {
    complain("patchbay: {}\n", checked.error().message);
    return kExitUsage;
  }
  return run_bus(options, [&](BusClient& client, Deadline deadline) -> Task<int> {
    for (const auto& topic : {checked->request_topic, checked->response_topic}) {
      auto there =
          co_await client.consumer().ensure_topic(topic, options.partitions, false, deadline);
      if (!there) co_return there.error();
    }
    auto request =
        co_await add_schema(client, checked->request_topic, options.request_schema, deadline);
    if (!request) co_return request.error();
    auto response =
        co_await add_schema(client, checked->response_topic, options.response_schema, deadline);
    if (!response) co_return response.error();
    auto written = co_await write_registration(client, checked->name, {}, &*checked, deadline);
    if (!written) co_return written.error();
    if (options.json) {
      print_raw(bus::write_registration(*checked) + "\n");
    } else {
      print("registered {}: {} -> {}\n", checked->name, checked->request_topic,
            checked->response_topic);
    }
    co_return kExitOk;
  });
}

int bus_unregister(const BusRegisterOptions& options) {
  return run_bus(options, [&](BusClient& client, Deadline deadline) -> Task<int> {
    auto all = co_await read_registrations(client, deadline);
    if (!all) co_return all.error();
    const auto known = std::ranges::find(*all, options.name,
                                         [](const auto& one) { return one.registration.name; });
    if (known == all->end()) {
      co_return Error{Code::not_found, fmt::format("nothing is registered as {}", options.name)};
    }
    auto written =
        co_await write_registration(client, options.name, known->keys, nullptr, deadline);
    if (!written) co_return written.error();
    if (options.json) {
      print_raw(fmt::format("{{\"unregistered\":{}}}\n", json::quote(options.name)));
    } else {
      print("unregistered {}\n", options.name);
    }
    co_return kExitOk;
  });
}

int bus_list(const BusOptions& options) {
  return run_bus(looking(options), [&](BusClient& client, Deadline deadline) -> Task<int> {
    auto all = co_await read_registrations(client, deadline);
    if (!all) co_return all.error();
    if (options.json) {
      std::string list;
      for (const auto& [one, keys] : *all) {
        list += (list.empty() ? "" : ",") + bus::write_registration(one);
      }
      print_raw(fmt::format("[{}]\n", list));
      co_return kExitOk;
    }
    for (const auto& [one, keys] : *all) {
      print("{:<8}  {}  {} -> {}  {}\n", one.is_resource ? "resource" : "tool", one.name,
            one.request_topic, one.response_topic, one.description);
    }
    co_return kExitOk;
  });
}

int bus_produce(const BusRecordOptions& options) {
  std::string text = options.value;
  if (!options.deletes && (!options.has_value || text == "-")) {
    text.assign(std::istreambuf_iterator<char>(std::cin), {});
    if (text.ends_with('\n')) text.pop_back();
  }
  return run_bus(options, [&](BusClient& client, Deadline deadline) -> Task<int> {
    std::string value = text;
    if (options.typed && !options.deletes) {
      if (!client.schemas()) {
        co_return Error{Code::invalid_params, "--typed needs a registry: --schema-registry"};
      }
      auto schema = co_await client.schemas()->latest(options.topic + "-value", deadline);
      if (!schema && schema.error().code == Code::not_found) {
        co_return Error{Code::not_found, fmt::format("there is no schema of {}", options.topic)};
      }
      if (!schema) co_return schema.error();
      if (!(*schema)->compiled) {
        co_return Error{Code::invalid_params, fmt::format("the schema of {} cannot be used: {}",
                                                          options.topic, (*schema)->problem)};
      }
      auto written = bus::written_by(*schema, std::move(value));
      if (!written) co_return written.error();
      value = *std::move(written);
    }
    const auto pairs = pairs_of(options.headers);
    std::vector<bus::Header> headers;
    for (const auto& [name, of] : pairs) headers.push_back({name.c_str(), of});
    bus::Outgoing record{options.topic, std::nullopt, std::nullopt, headers};
    if (options.has_key) record.key = options.key;
    if (!options.deletes) record.value = value;
    auto metadata = co_await client.send(record, deadline);
    if (!metadata) co_return metadata.error();
    if (options.json) {
      print_raw(fmt::format("{{\"topic\":{},\"partition\":{},\"offset\":{}}}\n",
                            json::quote(options.topic), metadata->partition, metadata->offset));
    } else {
      print("{} [{}] at {}\n", options.topic, metadata->partition, metadata->offset);
    }
    co_return kExitOk;
  });
}

int bus_consume(const BusConsumeOptions& options) {
  return run_bus(looking(options), [&](BusClient& client, Deadline deadline) -> Task<int> {
    int left = options.count;
    // With --count the command waits for that many; without, it reads on.
    const Deadline until = options.count == 0 && !options.to_end ? kNever : deadline;
    RecordPrinter printer(client.schemas());
    const auto take = [&](const bus::Record& record) -> Task<bool> {
      auto line = options.json ? co_await printer.json_line(record, until)
                               : co_await printer.text_line(record, until);
      if (!line) co_return line.error();
      print_raw(*line + "\n");
      std::fflush(stdout);
      co_return options.count == 0 || --left > 0;
    };
    auto read =
        co_await client.read(options.topic, options.from_beginning, options.to_end, take, until);
    if (!read && read.error().code == Code::timeout) {
      co_return Error{Code::timeout,
                      fmt::format("{} of {} records had arrived when the time was up",
                                  options.count - left, options.count)};
    }
    if (!read) co_return read.error();
    co_return kExitOk;
  });
}

int bus_lag(const BusLagOptions& options) {
  BusOptions with_group = looking(options);
  with_group.properties.push_back("group.id=" + options.group);
  return run_bus(with_group, [&](BusClient& client, Deadline deadline) -> Task<int> {
    auto lines = co_await client.consumer().lag(options.topics, deadline);
    if (!lines) co_return lines.error();
    std::string list;
    for (const auto& [topic, partition, committed, end] : *lines) {
      const auto lag = end - committed;
      if (options.json) {
        list += fmt::format(R"({}{{"topic":{},"partition":{},"committed":{},"end":{},"lag":{}}})",
                            list.empty() ? "" : ",", json::quote(topic), partition, committed, end,
                            lag);
      } else {
        print("{} [{}]  committed {}  end {}  lag {}\n", topic, partition, committed, end, lag);
      }
    }
    if (options.json) print_raw(fmt::format("[{}]\n", list));
    co_return kExitOk;
  });
}

}  // namespace patchbay::app
