#include "frontends/wire/initialize.h"

#include <gtest/gtest.h>

#include "json/read.h"

namespace patchbay::frontends {
namespace {

struct Asked {
  explicit Asked(std::string params)
      : text(R"({"jsonrpc":"2.0","id":"i","method":"initialize","params":)" + params + "}") {
    EXPECT_TRUE(mcp::parse(text, message));
  }
  std::string text;
  mcp::Message message;
};

const std::string kResult =
    R"({"protocolVersion":"2025-11-25","capabilities":{"tools":{"listChanged":true},"resources":{}},)"
    R"("serverInfo":{"name":"patchbay","version":"1"}})";

TEST(WireInitialize, PicksTheHighestCommonVersion) {
  const auto version = [](const char* params) {
    const Asked asked(params);
    auto offer = read_offer(asked.message);
    return offer ? offer->version : "none: " + offer.error().data;
  };
  EXPECT_EQ(version(R"({"protocolVersion":"1.0"})"), "1.0");
  EXPECT_EQ(version(R"({"protocolVersion":"1.1"})"), "1.1");
  EXPECT_EQ(version(R"({"protocolVersion":"1.0","supportedVersions":["1.0","1.1","2.0"]})"), "1.1");
  EXPECT_EQ(version(R"({"protocolVersion":"2.0","supportedVersions":["1.0"]})"), "1.0");
  EXPECT_EQ(version(R"({"supportedVersions":["1.0"]})"), "1.0");
  EXPECT_EQ(version(R"({"protocolVersion":"2025-06-18"})"), "");
  EXPECT_EQ(version(R"({"protocolVersion":"2.0"})"),
            R"(none: {"reason":"unsupported_version","supportedVersions":["1.0","1.1"]})");
}

TEST(WireInitialize, SpeaksMcpToTheGateway) {
  const Asked asked(
      R"({"protocolVersion":"1.0","capabilities":{"sampling":true,"roots":false,"chunking":true}})");
  auto offer = read_offer(asked.message);
  ASSERT_TRUE(offer);
  EXPECT_TRUE(offer->chunking);
  mcp::Message message;
  ASSERT_TRUE(mcp::parse(offer->request, message));
  EXPECT_EQ(message.id, "\"i\"");
  EXPECT_EQ(message.param("protocolVersion")->raw, "\"2025-11-25\"");
  EXPECT_EQ(message.param("capabilities")->raw, R"({"sampling":{},"chunking":{}})");
}

TEST(WireInitialize, AnswersInTheFormOfTheDocument) {
  EXPECT_EQ(offer_result({.version = "1.0"}, kResult, {}),
            R"({"protocolVersion":"1.0","serverInfo":{"supportedVersions":["1.0","1.1"],)"
            R"("name":"patchbay","version":"1"},"capabilities":{"tools":true,"resources":true,)"
            R"("streaming":false,"binary_protocol":true,"per_message_auth":true,"chunking":true,)"
            R"("rate_limiting":{"enabled":true,"default_limit":100,"window":"1m"}}})");
}

TEST(WireInitialize, AnswersMcpClientsInMcp) {
  const std::string result = offer_result({}, kResult, {});
  EXPECT_EQ(json::string_member(result, "protocolVersion"), "2025-11-25");
  const auto capabilities = *json::member(result, "capabilities");
  EXPECT_EQ(json::member(capabilities, "tools"), R"({"listChanged":true})");
  const auto wire = json::member(*json::member(capabilities, "experimental"), "wire");
  EXPECT_EQ(json::member(*wire, "chunking"), "true");
}

}  // namespace
}  // namespace patchbay::frontends
