// The settings of an upstream that is a bus: where it is, how its agents are found, and which of
// its topics are offered without an agent.
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
  optional,  // What has no schema is offered as well.
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

// A topic that is offered by itself.
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
inline constexpr auto config::fields<upstreams::SchemaRegistrySettings> = std::tuple{
    Field{"url", &upstreams::SchemaRegistrySettings::url,
          "Where it is: http:// or https://. Empty: SR_URL of the environment; the embedded bus "
          "brings its own; else there is none, and nothing is typed."},
    Field{"key", &upstreams::SchemaRegistrySettings::key,
          "The user, or API key, for basic authentication. Empty: SR_API_KEY."},
    Field{"secret", &upstreams::SchemaRegistrySettings::secret,
          "The password, or API secret. Empty: SR_API_SECRET."},
    Field{"tls", &upstreams::SchemaRegistrySettings::tls, "How an https registry is trusted."},
    Field{"connect_time", &upstreams::SchemaRegistrySettings::connect_time,
          "How long a connection may take to be made.", Range{Duration(10), Duration(600'000)}},
    Field{"answer_time", &upstreams::SchemaRegistrySettings::answer_time,
          "How long it may take to answer.", Range{Duration(10), Duration(600'000)}},
};

template <>
inline constexpr auto config::fields<upstreams::TopicSettings> = std::tuple{
    Field{"topic", &upstreams::TopicSettings::topic, "The topic; empty: the name of the entry."},
    Field{"description", &upstreams::TopicSettings::description, "What clients are told about it."},
    Field{"produce", &upstreams::TopicSettings::produce,
          "Whether there is a tool that puts a record into it."},
    Field{"read", &upstreams::TopicSettings::read,
          "Whether there is a resource with its newest records, and one for each key."},
    Field{"keep", &upstreams::TopicSettings::keep, "How many of the newest records are kept.",
          Range{1, 10'000}},
};

template <>
inline constexpr auto config::fields<upstreams::BusLimits> = std::tuple{
    Field{"registrations", &upstreams::BusLimits::registrations,
          "How many registrations are looked at; further ones are logged and left out.",
          Range{1, 1'000'000}},
    Field{"topic_keys", &upstreams::BusLimits::topic_keys,
          "Of how many keys of a topic that is read the latest record is kept.",
          Range{1, 10'000'000}},
    Field{"topic_bytes", &upstreams::BusLimits::topic_bytes,
          "How much is kept of one topic; the oldest makes room.",
          Range{Bytes{64 << 10}, Bytes{std::uint64_t{1} << 36}}},
    Field{"replies", &upstreams::BusLimits::replies,
          "How many replies to one call may wait to be passed on; further ones are dropped.",
          Range{1, 1'000'000}},
    Field{
        "remembered", &upstreams::BusLimits::remembered,
        "Of how many calls that are over each worker remembers the id, to tell late and duplicate "
        "replies from others.",
        Range{0, 1'000'000}},
    Field{"waiting", &upstreams::BusLimits::waiting,
          "How many records wait while a schema that one of them names is fetched; further ones "
          "are taken as they are.",
          Range{0, 1'000'000}},
};

template <>
inline constexpr auto config::fields<upstreams::KafkaSettings> = std::tuple{
    Field{"bus", &upstreams::KafkaSettings::bus,
          "Which bus: `embedded` is one inside this process, in memory, for development; `auto` "
          "takes it where no broker is named."},
    Field{
        "kafka", &upstreams::KafkaSettings::kafka,
        "Properties of librdkafka under their own names; `bootstrap.servers` is where the brokers "
        "are (else BROKER_URL of the environment)."},
    Field{"bearer_token", &upstreams::KafkaSettings::bearer_token,
          "The token for brokers with the mechanism OAUTHBEARER."},
    Field{"bearer_token_file", &upstreams::KafkaSettings::bearer_token_file,
          "A file that holds it; read again whenever a token is about to expire."},
    Field{"client_id", &upstreams::KafkaSettings::client_id,
          "Who we are to the brokers. Empty: CLIENT_ID of the environment, else an id that is kept "
          "in the file .pid."},
    Field{"registry_topic", &upstreams::KafkaSettings::registry_topic,
          "Where agents say what they offer. Empty: REGISTRY_TOPIC of the environment, else "
          "_agent_registry."},
    Field{"registry_partitions", &upstreams::KafkaSettings::registry_partitions,
          "How many partitions it gets if it has to be made.", Range{1, 1000}},
    Field{"response_timeout_ms", &upstreams::KafkaSettings::response_timeout_ms,
          "How long an agent may take to reply, and for each further reply of one that replies "
          "several times, in milliseconds.",
          Range{10, 86'400'000}},
    Field{"schema_registry", &upstreams::KafkaSettings::schema_registry,
          "The Schema Registry that has the schemas of requests and replies."},
    Field{"schemas", &upstreams::KafkaSettings::schemas,
          "Whether an agent whose topics have no schema is offered, with any arguments."},
    Field{"strict_framing", &upstreams::KafkaSettings::strict_framing,
          "Whether records must say by which schema they are written."},
    Field{"retrieval", &upstreams::KafkaSettings::retrieval,
          "How resources of agents are read: by a request, or as the latest record of their "
          "response topic with that key."},
    Field{"topics", &upstreams::KafkaSettings::topics,
          "Topics that are offered without an agent, by name."},
    Field{"lookup_time", &upstreams::KafkaSettings::lookup_time,
          "How long finding a topic or a schema may take.",
          Range{Duration(100), Duration(600'000)}},
    Field{"retry", &upstreams::KafkaSettings::retry, "How soon it is tried again if that failed.",
          Range{Duration(50), Duration(600'000)}},
    Field{"refresh", &upstreams::KafkaSettings::refresh,
          "How often it is looked for new versions of schemas and new partitions.",
          Range{Duration(100), Duration(86'400'000)}},
    Field{"limits", &upstreams::KafkaSettings::limits, "Bounds."},
};

}  // namespace patchbay
