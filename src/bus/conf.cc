#include "bus/conf.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "observe/log.h"

namespace patchbay::bus {
namespace {

// The defaults of all our clients. Small records are sent at once.
constexpr std::array<std::pair<std::string_view, std::string_view>, 4> kDefaults{{
    {"socket.nagle.disable", "true"},
    {"socket.keepalive.enable", "true"},
    {"reconnect.backoff.max.ms", "2000"},
    {"log.connection.close", "false"},
}};

// The embedded bus answers an empty fetch only when its time is up.
constexpr std::array<std::pair<std::string_view, std::string_view>, 2> kEmbedded{{
    {"fetch.wait.max.ms", "2"},
    {"fetch.error.backoff.ms", "2"},
}};

bool may_be_secret(std::string_view name) {
  return name.contains("password") || name.contains("secret") || name.contains("key") ||
         name.contains("token") || name.contains("pem") || name.contains("jaas");
}

Result<void> set(rd_kafka_conf_t* conf, std::string_view name, std::string_view value) {
  const std::string key(name);
  std::array<char, 512> why{};
  const auto done =
      rd_kafka_conf_set(conf, key.c_str(), std::string(value).c_str(), why.data(), why.size());
  if (done == RD_KAFKA_CONF_OK) return ok();
  if (done == RD_KAFKA_CONF_UNKNOWN) {
    return Error{Code::invalid_params, fmt::format("librdkafka has no property '{}'", name)};
  }
  return Error{Code::invalid_params,
               fmt::format("librdkafka refuses the value of '{}'{}{}", name,
                           may_be_secret(name) ? "" : ": ", may_be_secret(name) ? "" : why.data())};
}

log::Level level_of(int syslog) {
  if (syslog <= 4) return log::Level::warn;
  return syslog <= 6 ? log::Level::info : log::Level::debug;
}

void write_log(const rd_kafka_t* client, int level, const char* what, const char* text) {
  // A property of producers that is also set on a consumer is no fault.
  const bool beside = std::string_view(text).contains("property and will be ignored by this") ||
                      std::string_view(text).contains("No `bootstrap.servers` configured");
  log::Line(beside ? log::Level::debug : level_of(level), "bus")
      .add("client", client ? rd_kafka_name(client) : "")
      .add("about", what)
      .add("message", text);
}

}  // namespace

Result<void> check_properties(const Properties& properties) {
  const Owned<rd_kafka_conf_t> conf(rd_kafka_conf_new());
  for (const auto& [name, value] : properties) {
    auto taken = set(conf.get(), name, value);
    if (!taken) return taken;
  }
  return ok();
}

std::string property(const Properties& properties, std::string_view name) {
  const auto found =
      std::ranges::find_if(properties, [&](const auto& one) { return one.first == name; });
  return found == properties.end() ? "" : found->second;
}

Result<rd_kafka_t*> make_client(rd_kafka_type_t type, const Connection& connection, int events,
                                Choices defaults, Choices forced) {
  Owned<rd_kafka_conf_t> conf(rd_kafka_conf_new());
  Result<void> good = ok();
  const auto add = [&](const auto& choices) {
    for (const auto& [name, value] : choices) {
      auto taken = set(conf.get(), name, value);
      if (!taken && good) good = taken;
    }
  };
  add(kDefaults);
  add(Choices({{"client.id", connection.name}}));
  add(defaults);
  if (connection.embedded) add(kEmbedded);
  add(connection.properties);
  add(forced);
  if (!good) return good.error();
  rd_kafka_conf_set_log_cb(conf.get(), write_log);
  rd_kafka_conf_set_events(conf.get(), events);
  std::array<char, 512> why{};
  rd_kafka_t* const client = rd_kafka_new(type, conf.get(), why.data(), why.size());
  if (!client) {
    const bool sends = type == RD_KAFKA_PRODUCER;
    return Error{Code::invalid_params,
                 fmt::format("no {}: {}", sends ? "producer" : "consumer", why.data())};
  }
  (void)conf.release();  // The client owns it.
  return client;
}

Error trouble_of(rd_kafka_event_t* event) {
  std::string text = rd_kafka_event_error_string(event);
  // The duration differs each time, which would defeat deduplication.
  text.resize(std::min(text.size(), text.find(" (after ")));
  const bool about_us =
      text.contains(" alert ") && (text.contains("certificate") || text.contains("unknown ca"));
  if (about_us) {
    text +=
        " (the broker refuses our certificate: see ssl.certificate.location and "
        "ssl.key.location)";
  }
  return {error_of(rd_kafka_event_error(event), "bus").code, std::move(text)};
}

Error error_of(rd_kafka_resp_err_t code, const std::string& what) {
  const auto with_hint = [&](Code as, std::string_view hint = {}) {
    return Error{as, fmt::format("{}: {}{}", what, rd_kafka_err2str(code), hint)};
  };
  switch (code) {
    case RD_KAFKA_RESP_ERR__QUEUE_FULL:
      return with_hint(Code::overloaded, "; too many records are queued");
    case RD_KAFKA_RESP_ERR_MSG_SIZE_TOO_LARGE:
    case RD_KAFKA_RESP_ERR_RECORD_LIST_TOO_LARGE:
      return with_hint(Code::too_large, "; see message.max.bytes");
    case RD_KAFKA_RESP_ERR__TIMED_OUT:
    case RD_KAFKA_RESP_ERR__MSG_TIMED_OUT:
    case RD_KAFKA_RESP_ERR__TRANSPORT:
    case RD_KAFKA_RESP_ERR__ALL_BROKERS_DOWN:
    case RD_KAFKA_RESP_ERR__RESOLVE:
    case RD_KAFKA_RESP_ERR__DESTROY:
    case RD_KAFKA_RESP_ERR__PURGE_QUEUE:
    case RD_KAFKA_RESP_ERR__AUTHENTICATION:
    case RD_KAFKA_RESP_ERR__SSL:
    case RD_KAFKA_RESP_ERR__UNKNOWN_TOPIC:
    case RD_KAFKA_RESP_ERR__UNKNOWN_PARTITION:
    case RD_KAFKA_RESP_ERR_UNKNOWN_TOPIC_OR_PART:
    case RD_KAFKA_RESP_ERR_LEADER_NOT_AVAILABLE:
    case RD_KAFKA_RESP_ERR_NOT_LEADER_FOR_PARTITION:
    case RD_KAFKA_RESP_ERR_NOT_ENOUGH_REPLICAS:
    case RD_KAFKA_RESP_ERR_NOT_CONTROLLER:
    case RD_KAFKA_RESP_ERR_SASL_AUTHENTICATION_FAILED:
    case RD_KAFKA_RESP_ERR_TOPIC_AUTHORIZATION_FAILED:
    case RD_KAFKA_RESP_ERR_GROUP_AUTHORIZATION_FAILED:
    case RD_KAFKA_RESP_ERR_CLUSTER_AUTHORIZATION_FAILED:
      return with_hint(Code::unavailable);
    case RD_KAFKA_RESP_ERR__INVALID_ARG:
    case RD_KAFKA_RESP_ERR_TOPIC_EXCEPTION:
      return with_hint(Code::invalid_params);
    default:
      return with_hint(Code::upstream_failed);
  }
}

}  // namespace patchbay::bus
