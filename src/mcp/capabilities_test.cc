#include "mcp/capabilities.h"
#include "testing/revisions.h"

#include <gtest/gtest.h>

namespace patchbay::mcp {
namespace {

constexpr std::string_view kEverything =
    R"({"roots":{"listChanged":true},"sampling":{"tools":{},"context":{}},)"
    R"("elicitation":{"form":{},"url":{}},"extensions":{"io.modelcontextprotocol/tasks":{},"x/y":{}},)"
    R"("experimental":{"z":{}}})";

std::string carried(Revision client, Revision upstream, std::string_view capabilities) {
  return client_capabilities(upstream, abilities_of(client, capabilities));
}

TEST(Capabilities, OfAClientAreCarriedAsFarAsBothSidesKnowThem) {
  EXPECT_EQ(
      carried(E, E, kEverything),
      R"({"roots":{},"sampling":{"context":{},"tools":{}},"elicitation":{"form":{},"url":{}},)"
      R"("extensions":{"io.modelcontextprotocol/tasks":{}}})");
  EXPECT_EQ(
      carried(E, D, kEverything),
      R"({"roots":{},"sampling":{"context":{},"tools":{}},"elicitation":{"form":{},"url":{}}})");
  EXPECT_EQ(carried(E, C, kEverything), R"({"roots":{},"sampling":{},"elicitation":{}})");
  EXPECT_EQ(carried(E, B, kEverything), R"({"roots":{},"sampling":{}})");
  EXPECT_EQ(carried(C, E, kEverything),
            R"({"roots":{},"sampling":{"context":{}},"elicitation":{"form":{}}})");
  EXPECT_EQ(carried(A, E, kEverything), R"({"roots":{},"sampling":{"context":{}}})");
}

TEST(Capabilities, ForwardOnlyWhatWasDeclared) {
  EXPECT_EQ(carried(D, E, "{}"), "{}");
  EXPECT_EQ(carried(D, E, ""), "{}");
  EXPECT_EQ(carried(D, E, R"({"sampling":true,"roots":null})"), "{}");
  EXPECT_EQ(carried(D, E, R"({"elicitation":{}})"), R"({"elicitation":{"form":{}}})");
  EXPECT_EQ(carried(D, E, R"({"elicitation":{"url":{}}})"), R"({"elicitation":{"url":{}}})");
  EXPECT_EQ(carried(D, C, R"({"elicitation":{"url":{}}})"), "{}");
}

TEST(Capabilities, OfTheGatewayFollowTheRevision) {
  EXPECT_EQ(server_capabilities(A, true),
            R"({"tools":{"listChanged":true},"prompts":{"listChanged":true},)"
            R"("resources":{"listChanged":true,"subscribe":true},"logging":{}})");
  EXPECT_EQ(server_capabilities(C, true), server_capabilities(B, false));
  EXPECT_NE(server_capabilities(B, true).find(R"("completions":{})"), std::string::npos);
  EXPECT_NE(server_capabilities(D, true).find(R"("tasks":{"cancel":{},)"), std::string::npos);
  EXPECT_EQ(server_capabilities(D, true).find("extensions"), std::string::npos);
  EXPECT_NE(
      server_capabilities(E, true).find(R"("extensions":{"io.modelcontextprotocol/tasks":{}})"),
      std::string::npos);
  EXPECT_EQ(server_capabilities(E, false), server_capabilities(D, false));
}

TEST(Capabilities, AsBitsAndBack) {
  Abilities some;
  some.sampling = some.url = true;
  EXPECT_EQ(abilities_of_bits(bits_of(some)), some);
  EXPECT_EQ(abilities_of_bits(bits_of(kAllAbilities)), kAllAbilities);
  EXPECT_EQ(bits_of(Abilities{}), 0U);
  Abilities other;
  other.url = other.roots = other.tasks = true;
  Abilities both;
  both.url = true;
  EXPECT_EQ(common(some, other), both);
}

TEST(Capabilities, AnImplementationFollowsTheRevision) {
  const std::string info = R"({"name":"n","title":"t","version":"1","icons":[],"description":"d"})";
  EXPECT_EQ(implementation_for(B, info), R"({"name":"n","version":"1"})");
  EXPECT_EQ(implementation_for(C, info), R"({"name":"n","title":"t","version":"1"})");
  EXPECT_EQ(implementation_for(D, info), info);
}

}  // namespace
}  // namespace patchbay::mcp
