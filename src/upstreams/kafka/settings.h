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
          "URL: http:// or https://. Empty: SR_URL of the environment. The embedded bus has its "
          "own registry. Without any, records are untyped."},
    Field{"key", &upstreams::SchemaRegistrySettings::key,
          "User or API key for basic authentication. Empty: SR_API_KEY of the environment."},
    Field{"secret", &upstreams::SchemaRegistrySettings::secret,
          "Password or API secret. Empty: SR_API_SECRET of the environment."},
    Field{"tls", &upstreams::SchemaRegistrySettings::tls, "TLS settings for an https registry."},
    Field{"connect_timeout", &upstreams::SchemaRegistrySettings::connect_time,
          "Maximum time to establish a connection.", Range{Duration(10), Duration(600'000)},
          Alias{"connect_time"}},
    Field{"response_timeout", &upstreams::SchemaRegistrySettings::answer_time,
          "Maximum time to wait for a response.", Range{Duration(10), Duration(600'000)},
          Alias{"answer_time"}},
};

template <>
inline constexpr auto config::fields<upstreams::TopicSettings> = std::tuple{
    Field{"topic", &upstreams::TopicSettings::topic,
          "Name of the topic. Empty: the name of the entry."},
    Field{"description", &upstreams::TopicSettings::description, "Description for clients."},
    Field{"produce", &upstreams::TopicSettings::produce,
          "Whether a tool is offered that produces a record."},
    Field{"read", &upstreams::TopicSettings::read,
          "Whether a resource is offered with the newest records, and one for each key."},
    Field{"max_records", &upstreams::TopicSettings::keep,
          "Maximum number of records stored; the newest.", Range{1, 10'000}, Alias{"keep"}},
};

template <>
inline constexpr auto config::fields<upstreams::BusLimits> = std::tuple{
    Field{"max_registrations", &upstreams::BusLimits::registrations,
          "Maximum number of registrations. Further ones are logged and ignored.",
          Range{1, 1'000'000}, Alias{"registrations"}},
    Field{"max_topic_keys", &upstreams::BusLimits::topic_keys,
          "Maximum number of keys per topic whose latest record is stored.", Range{1, 10'000'000},
          Alias{"topic_keys"}},
    Field{"max_topic_size", &upstreams::BusLimits::topic_bytes,
          "Maximum size of the records stored per topic. The oldest are evicted.",
          Range{Bytes{64 << 10}, Bytes{std::uint64_t{1} << 36}}, Alias{"topic_bytes"}},
    Field{"max_queued_replies", &upstreams::BusLimits::replies,
          "Maximum number of queued replies per call. Further replies are dropped.",
          Range{1, 1'000'000}, Alias{"replies"}},
    Field{"max_completed_calls", &upstreams::BusLimits::remembered,
          "Maximum number of completed calls per worker whose ids are remembered to detect late "
          "and duplicate replies.",
          Range{0, 1'000'000}, Alias{"remembered"}},
    Field{"max_queued_records", &upstreams::BusLimits::waiting,
          "Maximum number of records queued while a schema is fetched. Further records are passed "
          "on undecoded.",
          Range{0, 1'000'000}, Alias{"waiting"}},
};

template <>
inline constexpr auto config::fields<upstreams::KafkaSettings> = std::tuple{
    Field{"bus", &upstreams::KafkaSettings::bus,
          "Bus to use: `embedded` runs one in memory in this process, for development; `external` "
          "uses the brokers in `kafka`; `auto` uses the embedded bus if no broker is given."},
    Field{"kafka", &upstreams::KafkaSettings::kafka,
          "librdkafka properties under their own names. `bootstrap.servers` lists the brokers "
          "(default: BROKER_URL of the environment)."},
    Field{"bearer_token", &upstreams::KafkaSettings::bearer_token,
          "Token for brokers that use SASL OAUTHBEARER."},
    Field{"bearer_token_file", &upstreams::KafkaSettings::bearer_token_file,
          "File with that token, read again before a token expires."},
    Field{
        "client_id", &upstreams::KafkaSettings::client_id,
        "Client id at the brokers. Empty: CLIENT_ID of the environment, else patchbay-NAME. If the "
        "brokers are those of the environment: an id stored in the file .pid."},
    Field{"registry_topic", &upstreams::KafkaSettings::registry_topic,
          "Topic on which agents register. Empty: REGISTRY_TOPIC of the environment, else "
          "_agent_registry."},
    Field{"registry_partitions", &upstreams::KafkaSettings::registry_partitions,
          "Number of partitions of that topic, if it must be created.", Range{1, 1000}},
    Field{"response_timeout_ms", &upstreams::KafkaSettings::response_timeout_ms,
          "Maximum time an agent may take to reply, and between two replies of an agent that "
          "replies several times, in milliseconds.",
          Range{10, 86'400'000}},
    Field{"schema_registry", &upstreams::KafkaSettings::schema_registry,
          "Schema Registry with the schemas of requests and replies."},
    Field{"schemas", &upstreams::KafkaSettings::schemas,
          "Whether the topics of an agent must have schemas. optional: an agent without them is "
          "offered and accepts any arguments."},
    Field{"strict_framing", &upstreams::KafkaSettings::strict_framing,
          "Whether records must name their schema."},
    Field{"retrieval", &upstreams::KafkaSettings::retrieval,
          "How resources of agents are read: by a request, or as the latest record with that key "
          "on their response topic."},
    Field{"topics", &upstreams::KafkaSettings::topics, "Topics offered without an agent, by name."},
    Field{"lookup_timeout", &upstreams::KafkaSettings::lookup_time,
          "Maximum time to find a topic or a schema.", Range{Duration(100), Duration(600'000)},
          Alias{"lookup_time"}},
    Field{"retry_interval", &upstreams::KafkaSettings::retry,
          "Wait before a failed lookup is tried again.", Range{Duration(50), Duration(600'000)},
          Alias{"retry"}},
    Field{"refresh_interval", &upstreams::KafkaSettings::refresh,
          "Interval between checks for new schema versions and partitions.",
          Range{Duration(100), Duration(86'400'000)}, Alias{"refresh"}},
    Field{"limits", &upstreams::KafkaSettings::limits, "Limits of number and size."},
};

}  // namespace patchbay
