#include "bus/registration.h"

#include <gtest/gtest.h>

#include "json/schema/schema.h"

namespace patchbay::bus {
namespace {

std::string fault(std::string_view value) {
  auto read = read_registration(value);
  return read ? "" : read.error().message;
}

constexpr std::string_view kOrders =
    R"({"name":"order-processing-service","description":"Handles order processing",)"
    R"("requestTopicName":"orders.requests","responseTopicName":"orders.responses")";

TEST(Registration, TakesTheToolOfTheOldestAgents) {
  auto read = read_registration(std::string(kOrders) + R"(,"correlationIdFieldName":"orderId"})");
  ASSERT_TRUE(read);
  EXPECT_EQ(read->name, "order-processing-service");
  EXPECT_EQ(read->request_topic, "orders.requests");
  EXPECT_EQ(read->response_topic, "orders.responses");
  EXPECT_EQ(read->correlation_field, "orderId");
  EXPECT_FALSE(read->is_resource);
}

TEST(Registration, HasADefaultFieldOfTheId) {
  for (const std::string_view field :
       {"", R"(,"correlationIdFieldName":null)", R"(,"correlationIdFieldName":"")"}) {
    auto read = read_registration(std::string(kOrders) + std::string(field) + "}");
    ASSERT_TRUE(read);
    EXPECT_EQ(read->correlation_field, "correlationId");
  }
}

TEST(Registration, RecognisesAResource) {
  const std::string resource = R"(,"mimeType":"text/plain","url":"/client/{client_id}")";
  for (const std::string_view type : {"", R"(,"registrationType":"resource")"}) {
    auto read = read_registration(std::string(kOrders) + resource + std::string(type) + "}");
    ASSERT_TRUE(read);
    EXPECT_TRUE(read->is_resource);
    EXPECT_EQ(read->url, "client/{client_id}");
    EXPECT_EQ(read->mime_type, "text/plain");
  }
  auto tool = read_registration(std::string(kOrders) + resource + R"(,"registrationType":"tool"})");
  EXPECT_FALSE(tool->is_resource);
  const auto nulls = R"(,"registrationType":"tool","mimeType":null,"url":null,"version":"1"})";
  EXPECT_TRUE(read_registration(std::string(kOrders) + nulls));
}

TEST(Registration, ReportsFaults) {
  EXPECT_EQ(fault("{"), "it is not JSON");
  EXPECT_EQ(fault("[]"), "it is not an object");
  EXPECT_EQ(fault("{}"), "'name' is missing");
  EXPECT_EQ(fault(R"({"name":7})"), "'name' must be a string");
  EXPECT_EQ(fault(R"({"name":"a","description":"d","requestTopicName":"a b"})"),
            "'requestTopicName' is not the name of a topic: letters, digits, '.', '_' and '-'");
  EXPECT_EQ(fault(std::string(kOrders) + R"(,"registrationType":"resource","url":"x"})"),
            "'mimeType' is missing");
  EXPECT_EQ(fault(std::string(kOrders) + R"(,"registrationType":"resource","mimeType":"a/b",)" +
                  R"("url":" / "})"),
            "'url' is blank");
  EXPECT_EQ(fault(std::string(kOrders) + R"(,"registrationType":"agent"})"),
            "'registrationType' must be tool or resource");
  EXPECT_EQ(fault(std::string(kOrders) + R"(,"retrieval":"later"})"),
            "'retrieval' must be topic or request");
}

TEST(Registration, LeavesSlashesInFrontOfAUrlOut) {
  auto read = read_registration(std::string(kOrders) + R"(,"mimeType":"a/b","url":"// a/b "})");
  ASSERT_TRUE(read) << read.error().message;
  EXPECT_EQ(read->url, "a/b");
}

TEST(Registration, KeepsHowAResourceIsRead) {
  for (const char* const how : {"topic", "request"}) {
    auto read = read_registration(std::string(kOrders) + R"(,"mimeType":"a/b","url":"u",)" +
                                  R"("retrieval":")" + how + "\"}");
    ASSERT_TRUE(read) << read.error().message;
    EXPECT_EQ(read->from_topic, std::string_view(how) == "topic");
    EXPECT_EQ(*read_registration(write_registration(*read)), *read);
  }
}

TEST(Registration, WritesWhatItsSchemaAllows) {
  auto schema = json::Schema::compile(kRegistrationSchema);
  ASSERT_TRUE(schema) << schema.error().message;
  auto tool = read_registration(std::string(kOrders) + "}");
  EXPECT_TRUE((*schema)->validate(write_registration(*tool)));
  auto resource = read_registration(std::string(kOrders) + R"(,"mimeType":"a/b","url":"u"})");
  const std::string written = write_registration(*resource);
  EXPECT_TRUE((*schema)->validate(written));
  EXPECT_EQ(*read_registration(written), *resource);
  EXPECT_TRUE(json::Schema::compile(kRegistrationKeySchema));
}

TEST(Registration, FindsTheNameInAnyKey) {
  EXPECT_EQ(registered_name(registration_key("a")), "a");
  EXPECT_EQ(registered_name("\"a\""), "a");
  EXPECT_EQ(registered_name("a"), "a");
  EXPECT_EQ(registered_name("\xff\xfe"), "");
}

}  // namespace
}  // namespace patchbay::bus
