#include "upstreams/kafka/plan.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <vector>

#include "bus/embedded_bus.h"
#include "core/environment.h"
#include "core/http_token.h"
#include "core/ids.h"
#include "core/text.h"
#include "mcp_client/connect/http.h"
#include "net/io/fd.h"
#include "observe/log.h"

namespace patchbay::upstreams {
namespace {

constexpr char kPidFile[] = ".pid";
constexpr std::string_view kRegistryTopic = "_agent_registry";
constexpr std::string_view kServers = "bootstrap.servers";

// The variables of the environment, and whether brokers without passwords need them too.
struct Variable {
  const char* name;
  bool secures;        // Lifted by SECURITY_PROTOCOL=PLAINTEXT...
  bool signs = false;  // ...and with SSL, where a certificate may authenticate us.
};
constexpr std::array kVariables{
    Variable{"BROKER_URL", false},         Variable{"JAAS_USERNAME", true, true},
    Variable{"JAAS_PASSWORD", true, true}, Variable{"SR_URL", false},
    Variable{"SR_API_KEY", true},          Variable{"SR_API_SECRET", true}};

bool is_uuid(std::string_view text) {
  const auto fits = [](char c) { return std::isxdigit(static_cast<unsigned char>(c)) || c == '-'; };
  return text.size() == kUuidSize && std::ranges::all_of(text, fits);
}

void set_default(bus::Properties& properties, std::string_view name, std::string value) {
  if (value.empty() || !bus::property(properties, name).empty()) return;
  properties.emplace_back(name, std::move(value));
}

// If one of the variables is set, all of them apply, also empty ones.
Result<void> check_environment(const Environment& environment) {
  const auto protocol = environment("SECURITY_PROTOCOL").value_or("");
  const bool plain = same_token(protocol, "PLAINTEXT");
  const bool unsigned_tls = same_token(protocol, "SSL");
  std::vector<std::string_view> missing;
  for (const auto& variable : kVariables) {
    const auto value = environment(variable.name);
    const bool lifted = variable.secures &&
                        (plain || (unsigned_tls && variable.signs) || (value && value->empty()));
    if (!lifted && (!value || value->empty())) missing.emplace_back(variable.name);
  }
  if (missing.empty()) return ok();
  return Error{Code::invalid_params,
               fmt::format("the environment lacks {}; SECURITY_PROTOCOL=PLAINTEXT does without "
                           "credentials, and bus: embedded without all of them",
                           fmt::join(missing, ", "))};
}

void use_environment(const Environment& environment, bus::Properties& properties) {
  const auto user = environment("JAAS_USERNAME").value_or("");
  const auto protocol = environment("SECURITY_PROTOCOL").value_or("");
  set_default(properties, kServers, environment("BROKER_URL").value_or(""));
  set_default(properties, "security.protocol",
              !protocol.empty() ? ascii_lower(protocol)
              : user.empty()    ? "plaintext"
                                : "sasl_ssl");
  const bool signs = !same_token(protocol, "PLAINTEXT") && !same_token(protocol, "SSL");
  if (user.empty() || !signs) return;
  set_default(properties, "sasl.mechanism", environment("SASL_MECHANISM").value_or("PLAIN"));
  set_default(properties, "sasl.username", user);
  set_default(properties, "sasl.password", environment("JAAS_PASSWORD").value_or(""));
}

// librdkafka would accept a mechanism that Debian's build does not support.
Result<void> check_security(const bus::Connection& connection) {
  const auto& properties = connection.properties;
  const std::string protocol = ascii_lower(bus::property(properties, "security.protocol"));
  const std::string mechanism =
      bus::property(properties, "sasl.mechanism") + bus::property(properties, "sasl.mechanisms");
  const bool by_itself =
      bus::property(properties, "enable.sasl.oauthbearer.unsecure.jwt") == "true" ||
      bus::property(properties, "sasl.oauthbearer.method") == "oidc";
  if (same_token(mechanism, "OAUTHBEARER") && connection.bearer.empty() && !by_itself) {
    return Error{Code::invalid_params,
                 "OAUTHBEARER needs a token: bearer_token, or bearer_token_file"};
  }
  if (!protocol.starts_with("sasl") || !mechanism.empty()) return ok();
  return Error{Code::invalid_params,
               "kafka: security.protocol is SASL, so sasl.mechanism must be given: PLAIN, "
               "SCRAM-SHA-256, SCRAM-SHA-512 or OAUTHBEARER"};
}

Result<std::optional<bus::RegistrySettings>> plan_schemas(const SchemaRegistrySettings& settings,
                                                          const Environment& environment,
                                                          bool embedded) {
  // The embedded bus has its own registry; the one in the environment belongs to another bus.
  const auto or_environment = [&](const std::string& given, const char* name) {
    return given.empty() && !embedded ? environment(name).value_or("") : given;
  };
  const std::string url = or_environment(settings.url, "SR_URL");
  if (url.empty()) return std::optional<bus::RegistrySettings>();
  auto parsed = net::parse_url(url);
  if (!parsed) return Error{Code::invalid_params, "schema_registry.url: " + parsed.error().message};
  bus::RegistrySettings plan{.url = *std::move(parsed)};
  if (plan.url.tls) {
    auto tls = client_tls(settings.tls);
    if (!tls) return Error{Code::invalid_params, "schema_registry.tls: " + tls.error().message};
    plan.tls = *std::move(tls);
  }
  plan.key = or_environment(settings.key, "SR_API_KEY");
  plan.secret = or_environment(settings.secret, "SR_API_SECRET");
  plan.pool.connect = settings.connect_time;
  plan.answer_time = settings.answer_time;
  plan.pool.connections = 4;
  return std::optional(std::move(plan));
}

// From the settings, else the environment, else `fallback`.
std::string choose(const std::string& given, const Environment& environment, const char* name,
                   std::string_view fallback) {
  if (!given.empty()) return given;
  auto named = environment(name).value_or("");
  return named.empty() ? std::string(fallback) : named;
}

Result<int> response_timeout(const std::string& milliseconds) {
  int value = 0;
  const char* const end = milliseconds.data() + milliseconds.size();
  const auto read = std::from_chars(milliseconds.data(), end, value);
  if (read.ec == std::errc() && read.ptr == end && value >= 10 && value <= 86'400'000) return value;
  return Error{Code::invalid_params,
               "RESPONSE_TIMEOUT of the environment must be milliseconds, from 10 to 86400000"};
}

}  // namespace

Environment process_environment() {
  return [](const char* name) { return take_variable(name); };
}

bool names_bus(const Environment& environment) {
  return std::ranges::any_of(
      kVariables, [&](const auto& variable) { return environment(variable.name).has_value(); });
}

bus::Connection connection_of(const KafkaPlan& plan, const bus::EmbeddedBus* embedded) {
  bus::Connection connection = plan.connection;
  connection.name = plan.client_id;
  // If the environment configures everything, as for the agents' own programs, the id is stored
  // where these programs store it. A configured bus leaves no file behind.
  if (connection.name.empty()) {
    connection.name =
        plan.from_environment && !embedded ? stored_client_id(kPidFile) : "patchbay-" + plan.name;
  }
  if (embedded) connection.properties.emplace_back(kServers, embedded->bootstrap());
  return connection;
}

std::string stored_client_id(const std::string& file) {
  const net::Fd old(::open(file.c_str(), O_RDONLY | O_CLOEXEC));
  std::array<char, kUuidSize> text{};
  if (old.get() >= 0 && ::read(old.get(), text.data(), text.size()) == ssize_t{kUuidSize}) {
    const std::string_view stored(text.data(), text.size());
    if (is_uuid(stored)) return std::string(stored);
  }
  const std::string id = random_uuid();
  const net::Fd fresh(::open(file.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600));
  const bool written = fresh.get() >= 0 && ::write(fresh.get(), id.data(), id.size()) ==
                                               static_cast<ssize_t>(id.size());
  if (!written) {
    log::Line(log::Level::warn, "client id not stored")
        .add("file", file)
        .add("hint", "set CLIENT_ID, or make the current folder writable");
  }
  return id;
}

Result<KafkaPlan> plan_kafka(const std::string& name, const KafkaSettings& settings,
                             const Environment& environment) {
  KafkaPlan plan{.name = name, .settings = settings};
  auto& properties = plan.connection.properties;
  properties.assign(settings.kafka.begin(), settings.kafka.end());
  const bool named = !bus::property(properties, kServers).empty() ||
                     !bus::property(properties, "metadata.broker.list").empty();
  const bool in_environment = !named && names_bus(environment);
  using enum BusChoice;
  if (settings.bus == embedded && named) {
    return Error{Code::invalid_params,
                 "bus: embedded is the bus of this process; leave kafka: bootstrap.servers out"};
  }
  if (settings.bus != embedded && in_environment) {
    auto whole = check_environment(environment);
    if (!whole) return whole.error();
    use_environment(environment, properties);
    plan.from_environment = true;
  } else if (settings.bus == external && !named) {
    return Error{Code::invalid_params,
                 "bus: external needs kafka: bootstrap.servers, or BROKER_URL of the environment"};
  }
  plan.connection.embedded = settings.bus == embedded || (!named && !in_environment);
  auto known = bus::check_properties(properties);
  if (!known) return Error{Code::invalid_params, "kafka: " + known.error().message};
  plan.connection.bearer = {settings.bearer_token, settings.bearer_token_file};
  auto secured = check_security(plan.connection);
  if (!secured) return secured.error();
  auto schemas = plan_schemas(settings.schema_registry, environment, plan.connection.embedded);
  if (!schemas) return schemas.error();
  plan.schemas = *std::move(schemas);
  plan.registry_topic =
      choose(settings.registry_topic, environment, "REGISTRY_TOPIC", kRegistryTopic);
  plan.client_id = choose(settings.client_id, environment, "CLIENT_ID", "");
  const auto timeout = in_environment ? environment("RESPONSE_TIMEOUT") : std::nullopt;
  if (timeout && settings.response_timeout_ms == KafkaSettings().response_timeout_ms) {
    auto value = response_timeout(*timeout);
    if (!value) return value.error();
    plan.settings.response_timeout_ms = *value;
  }
  return plan;
}

}  // namespace patchbay::upstreams
