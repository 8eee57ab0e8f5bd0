// Tests of our side of a Schema Registry against the one of the embedded bus, over real sockets.
#include "bus/schema_registry.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "bus/embedded_bus.h"
#include "testing/loopback.h"

namespace patchbay::bus {
namespace {

using testing::in_time;
using testing::on_loop;

RegistrySettings settings_of(const EmbeddedBus& bus) {
  return {.url = *net::parse_url(bus.registry_url())};
}

TEST(SchemaRegistry, AddsAndFindsSchemas) {
  on_loop([]() -> Task<void> {
    EmbeddedBus bus;
    auto began = bus.start();
    if (!began) co_return began;
    {
      SchemaRegistry registry(settings_of(bus));
      auto none = co_await registry.latest("t-value", in_time());
      EXPECT_EQ(none.error().code, Code::not_found) << none.error().message;
      auto first = co_await registry.add("t-value", R"({"type":"object"})", in_time());
      auto second = co_await registry.add("t-value", R"({"type":"string"})", in_time());
      auto again = co_await registry.add("other-value", R"({"type":"object"})", in_time());
      if (!first || !second || !again) co_return Error{Code::internal, "not added"};
      EXPECT_NE(*first, *second);
      EXPECT_EQ(*first, *again);
      auto latest = co_await registry.latest("t-value", in_time());
      if (!latest) co_return latest.error();
      EXPECT_EQ((*latest)->id, *second);
      EXPECT_EQ((*latest)->text, R"({"type":"string"})");
      auto by_id = co_await registry.by_id(*first, in_time());
      if (!by_id) co_return by_id.error();
      EXPECT_TRUE((*by_id)->compiled->validate("{}"));
      EXPECT_FALSE((*by_id)->compiled->validate("1"));
      auto wrong = co_await registry.add("t-value", R"({"type":"nothing"})", in_time());
      EXPECT_EQ(wrong.error().code, Code::invalid_params);
      auto unknown = co_await registry.by_id(99, in_time());
      EXPECT_EQ(unknown.error().code, Code::not_found);
    }
    co_return co_await bus.stop();
  });
}

TEST(SchemaRegistry, FollowsReferencesAndReportsUnusableOnes) {
  on_loop([]() -> Task<void> {
    EmbeddedBus bus;
    auto began = bus.start();
    if (!began) co_return began;
    auto post = [&](std::string subject, std::string body) -> Task<void> {
      net::HttpPool pool(*net::parse_url(bus.registry_url()), nullptr, {});
      const std::string path = fmt::format("/subjects/{}/versions", subject);
      auto response = co_await pool.request({"POST", path, "", body, nullptr}, in_time());
      if (!response) co_return response.error();
      EXPECT_EQ((*response)->status(), 200);
      auto text = co_await (*response)->read_all(4096, in_time());
      co_return ok();
    };
    auto inner =
        co_await post("inner", R"({"schemaType":"JSON","schema":"{\"type\":\"string\"}"})");
    auto outer = co_await post(
        "outer", R"({"schemaType":"JSON","schema":"{\"items\":{\"$ref\":\"inner.json\"}}",)"
                 R"("references":[{"name":"inner.json","subject":"inner","version":1}]})");
    auto named = co_await post("named", R"({"schema":"{\"type\":\"enum\",\"name\":\"n.E\",)"
                                        R"(\"symbols\":[\"A\",\"B\"]}"})");
    auto avro = co_await post(
        "avro", R"({"schemaType":"AVRO","schema":"{\"type\":\"array\",\"items\":\"n.E\"}",)"
                R"("references":[{"name":"n.E","subject":"named","version":1}]})");
    auto proto = co_await post("proto", R"({"schemaType":"PROTOBUF","schema":"message A {}"})");
    {
      SchemaRegistry registry(settings_of(bus));
      auto found = co_await registry.latest("proto", in_time());
      if (!found) co_return found.error();
      EXPECT_EQ((*found)->problem, "it is PROTOBUF; only JSON Schema and Avro can be used");
      EXPECT_FALSE((*found)->compiled);
      auto typed = co_await registry.latest("avro", in_time());
      if (!typed) co_return typed.error();
      EXPECT_EQ((*typed)->problem, "");
      EXPECT_EQ((*typed)->text, R"({"type":"array","items":{"type":"string","enum":["A","B"]}})");
      EXPECT_EQ(*(*typed)->avro->decode(std::string_view("\2\2\0", 3)), R"(["B"])");
      EXPECT_EQ(registry.known((*typed)->id), *typed);
      EXPECT_EQ(registry.known(99), nullptr);
      auto whole = co_await registry.latest("outer", in_time());
      if (!whole) co_return whole.error();
      EXPECT_EQ((*whole)->problem, "");
      EXPECT_TRUE((*whole)->compiled->validate(R"(["a"])"));
      EXPECT_FALSE((*whole)->compiled->validate("[1]"));
    }
    co_return co_await bus.stop();
  });
}

TEST(SchemaRegistry, WaitsNoLongerThanItMay) {
  on_loop([]() -> Task<void> {
    // It listens and never says a word.
    auto script = [](testing::Visitor& visitor) -> Task<void> {
      auto request = co_await visitor.request();
      co_return co_await visitor.closed();
    };
    testing::LoopbackServer server(script);
    {
      RegistrySettings settings{.url = server.url()};
      settings.answer_time = std::chrono::milliseconds(50);
      SchemaRegistry registry(std::move(settings));
      auto none = co_await registry.latest("t-value", kNever);
      EXPECT_EQ(none.error().code, Code::unavailable);
      EXPECT_TRUE(none.error().message.contains("too slow")) << none.error().message;
    }
    co_return co_await server.stop();
  });
}

TEST(SchemaRegistry, ReportsWhyItDoesNotAnswer) {
  on_loop([]() -> Task<void> {
    auto script = [](testing::Visitor& visitor) -> Task<void> {
      auto request = co_await visitor.request();
      EXPECT_TRUE(request->contains("Authorization: Basic dTpw\r\n")) << *request;
      auto sent = co_await visitor.send(
          "HTTP/1.1 401 Unauthorized\r\nContent-Length: 41\r\n\r\n"
          R"({"error_code":401,"message":"not for you"})");
      co_return co_await visitor.closed();
    };
    testing::LoopbackServer server(script);
    {
      RegistrySettings settings{.url = server.url()};
      settings.key = "u";
      settings.secret = "p";
      SchemaRegistry registry(std::move(settings));
      auto refused = co_await registry.latest("t-value", in_time());
      EXPECT_EQ(refused.error().code, Code::unavailable);
      EXPECT_TRUE(refused.error().message.contains("401")) << refused.error().message;
      EXPECT_FALSE(refused.error().message.contains("dTpw"));
    }
    co_return co_await server.stop();
  });
}

}  // namespace
}  // namespace patchbay::bus
