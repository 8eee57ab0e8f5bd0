#include "upstreams/kafka/settings.h"

#include "config/fields.h"

namespace patchbay {

template <>
const config::Fields& config::fields<upstreams::SchemaRegistrySettings>() {
  static const Fields kFields = fields_of<upstreams::SchemaRegistrySettings>({
      {"url", &upstreams::SchemaRegistrySettings::url,
       "URL: http:// or https://. Empty: SR_URL of the environment. The embedded bus has its "
       "own registry. Without any, records are untyped."},
      {"key", &upstreams::SchemaRegistrySettings::key,
       "User or API key for basic authentication. Empty: SR_API_KEY of the environment."},
      {"secret", &upstreams::SchemaRegistrySettings::secret,
       "Password or API secret. Empty: SR_API_SECRET of the environment."},
      {"tls", &upstreams::SchemaRegistrySettings::tls, "TLS settings for an https registry."},
      {"connect_timeout", &upstreams::SchemaRegistrySettings::connect_time,
       "Maximum time to establish a connection.", Range{Duration(10), Duration(600'000)},
       Alias{"connect_time"}},
      {"response_timeout", &upstreams::SchemaRegistrySettings::answer_time,
       "Maximum time to wait for a response.", Range{Duration(10), Duration(600'000)},
       Alias{"answer_time"}},
  });
  return kFields;
}

template <>
const config::Fields& config::fields<upstreams::TopicSettings>() {
  static const Fields kFields = fields_of<upstreams::TopicSettings>({
      {"topic", &upstreams::TopicSettings::topic,
       "Name of the topic. Empty: the name of the entry."},
      {"description", &upstreams::TopicSettings::description, "Description for clients."},
      {"produce", &upstreams::TopicSettings::produce,
       "Whether a tool is offered that produces a record."},
      {"read", &upstreams::TopicSettings::read,
       "Whether a resource is offered with the newest records, and one for each key."},
      {"max_records", &upstreams::TopicSettings::keep,
       "Maximum number of records stored; the newest.", Range{1, 10'000}, Alias{"keep"}},
  });
  return kFields;
}

template <>
const config::Fields& config::fields<upstreams::BusLimits>() {
  static const Fields kFields = fields_of<upstreams::BusLimits>({
      {"max_registrations", &upstreams::BusLimits::registrations,
       "Maximum number of registrations. Further ones are logged and ignored.", Range{1, 1'000'000},
       Alias{"registrations"}},
      {"max_topic_keys", &upstreams::BusLimits::topic_keys,
       "Maximum number of keys per topic whose latest record is stored.", Range{1, 10'000'000},
       Alias{"topic_keys"}},
      {"max_topic_size", &upstreams::BusLimits::topic_bytes,
       "Maximum size of the records stored per topic. The oldest are evicted.",
       Range{Bytes{64 << 10}, Bytes{std::uint64_t{1} << 36}}, Alias{"topic_bytes"}},
      {"max_queued_replies", &upstreams::BusLimits::replies,
       "Maximum number of queued replies per call. Further replies are dropped.",
       Range{1, 1'000'000}, Alias{"replies"}},
      {"max_completed_calls", &upstreams::BusLimits::remembered,
       "Maximum number of completed calls per worker whose ids are remembered to detect late "
       "and duplicate replies.",
       Range{0, 1'000'000}, Alias{"remembered"}},
      {"max_queued_records", &upstreams::BusLimits::waiting,
       "Maximum number of records queued while a schema is fetched. Further records are passed "
       "on undecoded.",
       Range{0, 1'000'000}, Alias{"waiting"}},
      {"max_lag_groups", &upstreams::BusLimits::lag_groups,
       "Maximum number of consumer groups whose lag is looked up for admins.", Range{1, 10'000}},
      {"max_lag_partitions", &upstreams::BusLimits::lag_partitions,
       "Maximum number of partitions of the agents' topics whose lag is looked up.",
       Range{1, 100'000}},
  });
  return kFields;
}

template <>
const config::Fields& config::fields<upstreams::KafkaSettings>() {
  static const Fields kFields = fields_of<upstreams::KafkaSettings>({
      {"bus", &upstreams::KafkaSettings::bus,
       "Bus to use: `embedded` runs one in memory in this process, for development; `external` "
       "uses the brokers in `kafka`; `auto` uses the embedded bus if no broker is given."},
      {"kafka", &upstreams::KafkaSettings::kafka,
       "librdkafka properties under their own names. `bootstrap.servers` lists the brokers "
       "(default: BROKER_URL of the environment)."},
      {"bearer_token", &upstreams::KafkaSettings::bearer_token,
       "Token for brokers that use SASL OAUTHBEARER."},
      {"bearer_token_file", &upstreams::KafkaSettings::bearer_token_file,
       "File with that token, read again before a token expires."},
      {"client_id", &upstreams::KafkaSettings::client_id,
       "Client id at the brokers. Empty: CLIENT_ID of the environment, else patchbay-NAME. If the "
       "brokers are those of the environment: an id stored in the file .pid."},
      {"registry_topic", &upstreams::KafkaSettings::registry_topic,
       "Topic on which agents register. Empty: REGISTRY_TOPIC of the environment, else "
       "_agent_registry."},
      {"registry_partitions", &upstreams::KafkaSettings::registry_partitions,
       "Number of partitions of that topic, if it must be created.", Range{1, 1000}},
      {"response_timeout_ms", &upstreams::KafkaSettings::response_timeout_ms,
       "Maximum time an agent may take to reply, and between two replies of an agent that "
       "replies several times, in milliseconds.",
       Range{10, 86'400'000}},
      {"schema_registry", &upstreams::KafkaSettings::schema_registry,
       "Schema Registry with the schemas of requests and replies."},
      {"schemas", &upstreams::KafkaSettings::schemas,
       "Whether the topics of an agent must have schemas. optional: an agent without them is "
       "offered and accepts any arguments."},
      {"strict_framing", &upstreams::KafkaSettings::strict_framing,
       "Whether records must name their schema."},
      {"retrieval", &upstreams::KafkaSettings::retrieval,
       "How resources of agents are read: by a request, or as the latest record with that key "
       "on their response topic."},
      {"topics", &upstreams::KafkaSettings::topics, "Topics offered without an agent, by name."},
      {"agent_groups", &upstreams::KafkaSettings::agent_groups,
       "Consumer groups of agents whose lag is looked up, besides those that the brokers list. The "
       "embedded bus lists none."},
      {"lag_timeout", &upstreams::KafkaSettings::lag_timeout,
       "Maximum time to look up the lag of the agents.", Range{Duration(10), Duration(60'000)}},
      {"lookup_timeout", &upstreams::KafkaSettings::lookup_time,
       "Maximum time to find a topic or a schema.", Range{Duration(100), Duration(600'000)},
       Alias{"lookup_time"}},
      {"retry_interval", &upstreams::KafkaSettings::retry,
       "Wait before a failed lookup is tried again.", Range{Duration(50), Duration(600'000)},
       Alias{"retry"}},
      {"refresh_interval", &upstreams::KafkaSettings::refresh,
       "Interval between checks for new schema versions and partitions.",
       Range{Duration(100), Duration(86'400'000)}, Alias{"refresh"}},
      {"limits", &upstreams::KafkaSettings::limits, "Limits of number and size."},
  });
  return kFields;
}

}  // namespace patchbay
