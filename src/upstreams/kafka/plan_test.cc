#include "upstreams/kafka/plan.h"

#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstdlib>
#include <map>

namespace patchbay::upstreams {
namespace {

using Variables = std::map<std::string, std::string>;

Environment environment(Variables variables) {
  return [variables](const char* name) -> std::optional<std::string> {
    const auto found = variables.find(name);
    return found == variables.end() ? std::nullopt : std::optional(found->second);
  };
}

const Variables kCloud{{"BROKER_URL", "cloud:9092"}, {"JAAS_USERNAME", "user"},
                       {"JAAS_PASSWORD", "hidden"},  {"SR_URL", "https://registry"},
                       {"SR_API_KEY", "key"},        {"SR_API_SECRET", "secret"}};

std::string fault(const KafkaSettings& settings, Variables variables = {}) {
  auto plan = plan_kafka("bus", settings, environment(std::move(variables)));
  return plan ? "" : plan.error().message;
}

TEST(KafkaPlan, IsTheEmbeddedBusWhereNothingElseIsNamed) {
  auto plan = plan_kafka("bus", {}, environment({}));
  ASSERT_TRUE(plan);
  EXPECT_TRUE(plan->connection.embedded);
  EXPECT_EQ(plan->registry_topic, "_agent_registry");
  EXPECT_FALSE(plan->schemas);
}

TEST(KafkaPlan, TakesTheEnvironmentAsItIs) {
  auto variables = kCloud;
  variables["REGISTRY_TOPIC"] = "agents";
  variables["CLIENT_ID"] = "me";
  variables["RESPONSE_TIMEOUT"] = "20000";
  auto plan = plan_kafka("bus", {}, environment(variables));
  ASSERT_TRUE(plan) << plan.error().message;
  const auto& properties = plan->connection.properties;
  EXPECT_FALSE(plan->connection.embedded);
  EXPECT_EQ(bus::property(properties, "bootstrap.servers"), "cloud:9092");
  EXPECT_EQ(bus::property(properties, "security.protocol"), "sasl_ssl");
  EXPECT_EQ(bus::property(properties, "sasl.mechanism"), "PLAIN");
  EXPECT_EQ(bus::property(properties, "sasl.username"), "user");
  EXPECT_EQ(bus::property(properties, "sasl.password"), "hidden");
  EXPECT_EQ(plan->schemas->key, "key");
  EXPECT_EQ(plan->registry_topic, "agents");
  EXPECT_EQ(plan->client_id, "me");
  EXPECT_EQ(plan->settings.response_timeout_ms, 20'000);
}

TEST(KafkaPlan, NamesAllThatIsMissingAtOnce) {
  EXPECT_TRUE(fault({}, {{"BROKER_URL", "b:1"}})
                  .starts_with("the environment lacks JAAS_USERNAME, JAAS_PASSWORD, SR_URL, "
                               "SR_API_KEY, SR_API_SECRET;"));
  EXPECT_TRUE(fault({}, {{"SR_URL", "http://r"}, {"SECURITY_PROTOCOL", "PLAINTEXT"}})
                  .starts_with("the environment lacks BROKER_URL;"));
  auto secret = kCloud;
  secret.erase("SR_URL");
  EXPECT_FALSE(fault({}, secret).contains("hidden"));
}

TEST(KafkaPlan, NeedsNoCredentialsIfConfigured) {
  EXPECT_EQ(
      fault({},
            {{"BROKER_URL", "b:1"}, {"SR_URL", "http://r"}, {"SECURITY_PROTOCOL", "plaintext"}}),
      "");
  EXPECT_EQ(fault({}, {{"BROKER_URL", "b:1"},
                       {"SR_URL", "http://r"},
                       {"JAAS_USERNAME", ""},
                       {"JAAS_PASSWORD", ""},
                       {"SR_API_KEY", ""},
                       {"SR_API_SECRET", ""}}),
            "");
}

TEST(KafkaPlan, NeedsNoPasswordForTlsAlone) {
  std::map<std::string, std::string> variables{{"BROKER_URL", "b:1"},
                                               {"SR_URL", "https://r"},
                                               {"SR_API_KEY", "k"},
                                               {"SR_API_SECRET", "s"},
                                               {"SECURITY_PROTOCOL", "SSL"}};
  auto plan = plan_kafka("bus", {}, environment(variables));
  ASSERT_TRUE(plan) << plan.error().message;
  EXPECT_EQ(bus::property(plan->connection.properties, "security.protocol"), "ssl");
  EXPECT_EQ(bus::property(plan->connection.properties, "sasl.mechanism"), "");
  variables.erase("SR_API_KEY");
  EXPECT_TRUE(fault({}, variables).starts_with("the environment lacks SR_API_KEY;"));
}

TEST(KafkaPlan, TheFileStandsAboveTheEnvironment) {
  KafkaSettings settings;
  settings.kafka = {{"bootstrap.servers", "mine:9092"}};
  auto plan = plan_kafka("bus", settings, environment({{"BROKER_URL", "other:9092"}}));
  ASSERT_TRUE(plan) << plan.error().message;
  EXPECT_EQ(bus::property(plan->connection.properties, "bootstrap.servers"), "mine:9092");
  KafkaSettings embedded;
  embedded.bus = BusChoice::embedded;
  auto inside = plan_kafka("bus", embedded, environment(kCloud));
  EXPECT_TRUE(inside->connection.embedded);
  EXPECT_FALSE(inside->schemas);
}

TEST(KafkaPlan, ReportsWhatIsWrong) {
  KafkaSettings both;
  both.bus = BusChoice::embedded;
  both.kafka = {{"bootstrap.servers", "a:1"}};
  EXPECT_TRUE(fault(both).contains("leave kafka: bootstrap.servers out"));
  KafkaSettings unknown;
  unknown.kafka = {{"bootstrap.servers", "a:1"}, {"bootstrap", "b"}};
  EXPECT_EQ(fault(unknown), "kafka: librdkafka has no property 'bootstrap'");
  KafkaSettings unsaid;
  unsaid.kafka = {{"bootstrap.servers", "a:1"}, {"security.protocol", "SASL_SSL"}};
  EXPECT_TRUE(fault(unsaid).contains("sasl.mechanism must be given"));
  KafkaSettings tokenless;
  tokenless.kafka = {{"bootstrap.servers", "a:1"},
                     {"security.protocol", "SASL_SSL"},
                     {"sasl.mechanism", "OAUTHBEARER"}};
  EXPECT_TRUE(fault(tokenless).contains("needs a token"));
  KafkaSettings nowhere;
  nowhere.bus = BusChoice::external;
  EXPECT_TRUE(fault(nowhere).contains("needs kafka: bootstrap.servers"));
  KafkaSettings registry;
  registry.schema_registry.url = "ftp://x";
  EXPECT_TRUE(fault(registry).starts_with("schema_registry.url: "));
}

TEST(KafkaPlan, StoresNoIdForBrokersOfTheConfiguration) {
  KafkaSettings settings;
  settings.kafka = {{"bootstrap.servers", "localhost:1"}};
  const auto plan = plan_kafka("bus", settings, [](const char*) { return std::nullopt; });
  ASSERT_TRUE(plan);
  EXPECT_EQ(connection_of(*plan, nullptr).name, "patchbay-bus");
  EXPECT_NE(::access(".pid", F_OK), 0);
}

TEST(KafkaPlan, KeepsAnIdInAFile) {
  char folder[] = "/tmp/patchbay-pid-XXXXXX";
  ASSERT_NE(::mkdtemp(folder), nullptr);
  const std::string file = std::string(folder) + "/.pid";
  const std::string id = stored_client_id(file);
  EXPECT_EQ(id.size(), 36U);
  EXPECT_EQ(stored_client_id(file), id);
  struct stat about{};
  ASSERT_EQ(::stat(file.c_str(), &about), 0);
  EXPECT_EQ(about.st_mode & 0777, 0600U);
  EXPECT_NE(stored_client_id("/nowhere/at/all/.pid"), id);
  ::unlink(file.c_str());
  ::rmdir(folder);
}

}  // namespace
}  // namespace patchbay::upstreams
