// The settings of an upstream that is a bus: its address, how its agents are found, and which of
// its topics are offered without an agent.
//
// Values only.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "mcp_client/connect/http_settings.h"

namespace patchbay::upstreams {

enum class BusChoice : std::uint8_t {
  automatic,  // The embedded one unless a broker is named.
  embedded,
  external,
};

enum class SchemaNeed : std::uint8_t {
  optional,  // Agents and topics without a schema are offered too.
  required,
};

enum class Retrieval : std::uint8_t { request, topic };

struct SchemaRegistrySettings {
  std::string url;
  std::string key;
  std::string secret;
  TlsSettings tls;
  config::Duration connect_time{5'000};
  config::Duration answer_time{10'000};
};

// A topic that is offered without an agent.
struct TopicSettings {
  std::string topic;
  std::string description;
  bool produce = true;
  bool read = true;
  int keep = 100;
};

struct BusLimits {
  int registrations = 10'000;
  int topic_keys = 100'000;
  config::Bytes topic_bytes{64 << 20};
  int replies = 1'000;
  int remembered = 4'096;
  int waiting = 1'000;
  int lag_groups = 100;
  int lag_partitions = 500;
};

struct KafkaSettings {
  BusChoice bus = BusChoice::automatic;
  config::Dict<std::string> kafka;
  std::string bearer_token;
  std::string bearer_token_file;
  std::string client_id;
  std::string registry_topic;
  int registry_partitions = 1;
  int response_timeout_ms = 10'000;
  SchemaRegistrySettings schema_registry;
  SchemaNeed schemas = SchemaNeed::optional;
  bool strict_framing = false;
  Retrieval retrieval = Retrieval::request;
  config::Dict<TopicSettings> topics;
  std::vector<std::string> agent_groups{"patchbay"};
  config::Duration lag_timeout{5'000};
  config::Duration lookup_time{10'000};
  config::Duration retry{2'000};
  config::Duration refresh{30'000};
  BusLimits limits;
};

}  // namespace patchbay::upstreams

namespace patchbay {

template <>
inline constexpr auto config::choices<upstreams::BusChoice> = std::array{
    Choice{"auto", upstreams::BusChoice::automatic},
    Choice{"embedded", upstreams::BusChoice::embedded},
    Choice{"external", upstreams::BusChoice::external},
};

template <>
inline constexpr auto config::choices<upstreams::SchemaNeed> = std::array{
    Choice{"optional", upstreams::SchemaNeed::optional},
    Choice{"required", upstreams::SchemaNeed::required},
};

template <>
inline constexpr auto config::choices<upstreams::Retrieval> = std::array{
    Choice{"request", upstreams::Retrieval::request},
    Choice{"topic", upstreams::Retrieval::topic},
};

template <>
const config::Fields& config::fields<upstreams::SchemaRegistrySettings>();

template <>
const config::Fields& config::fields<upstreams::TopicSettings>();

template <>
const config::Fields& config::fields<upstreams::BusLimits>();

template <>
const config::Fields& config::fields<upstreams::KafkaSettings>();

}  // namespace patchbay
