#include "policy/pins/pins.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>

#include "crypto/sha256.h"
#include "policy/pins/store.h"

namespace patchbay::policy {
namespace {

class PinsTest : public ::testing::Test {
 protected:
  PinsTest() {
    std::string name = "/tmp/patchbay-pins-XXXXXX";
    folder = ::mkdtemp(name.data());
  }
  ~PinsTest() override { std::filesystem::remove_all(folder); }

  std::unique_ptr<PinStore> store() {
    auto opened = PinStore::open(folder + "/state");
    EXPECT_TRUE(opened) << opened.error().message;
    return *std::move(opened);
  }

  std::unique_ptr<Pins> remembered(PinMode mode) {
    auto from = store();
    auto known = from->read();
    EXPECT_TRUE(known);
    auto pins = std::make_unique<Pins>(std::move(from), *std::move(known));
    pins->set(mode, 10);
    return pins;
  }

  static std::vector<mcp::Item> tools(const std::string& description) {
    return {{"t", R"({"name":"t","description":")" + description + R"(","inputSchema":{}})"}};
  }

  using Names = std::set<std::string>;
  std::string folder;
};

TEST_F(PinsTest, HoldWhatModelsAndPeopleGoBy) {
  EXPECT_EQ(pinned_part(R"({"name":"t","_meta":{"x":1},"inputSchema":{"b":1,"a":1.0},"icons":[]})"),
            R"({"inputSchema":{"a":1,"b":1},"name":"t"})");
  EXPECT_EQ(pinned_part(R"({"name":"t","name":"u"})"), "");
}

TEST_F(PinsTest, BlockAChangedToolUntilItIsAcceptedOrWhatItWas) {
  Pins pins;
  pins.set(PinMode::block, 10);
  EXPECT_EQ(pins.look_at("up", tools("good")), Names{});
  EXPECT_EQ(pins.look_at("up", tools("evil")), Names{"t"});
  EXPECT_EQ(pins.look_at("up", tools("evil")), Names{"t"});
  EXPECT_EQ(pins.look_at("other", tools("evil")), Names{}) << "another upstream, another tool";
  EXPECT_EQ(pins.look_at("up", tools("good")), Names{});
  pins.set(PinMode::warn, 10);
  EXPECT_EQ(pins.look_at("up", tools("evil")), Names{});
  pins.set(PinMode::ignore, 10);
  EXPECT_EQ(pins.look_at("up", tools("worse")), Names{});
}

TEST_F(PinsTest, OutliveTheProcess) {
  EXPECT_EQ(remembered(PinMode::block)->look_at("up", tools("good")), Names{});
  EXPECT_EQ(remembered(PinMode::block)->look_at("up", tools("evil")), Names{"t"});
  const auto stored = store()->read();
  ASSERT_TRUE(stored);
  EXPECT_NE(stored->at({"up", "t"}).definition.find("good"), std::string::npos);
  EXPECT_NE(stored->at({"up", "t"}).changed.find("evil"), std::string::npos);
}

TEST_F(PinsTest, TakeOverWhatWasAcceptedElsewhere) {
  remembered(PinMode::warn)->look_at("up", tools("good"));
  remembered(PinMode::warn)->look_at("up", tools("evil"));
  const auto pins = remembered(PinMode::block);
  EXPECT_EQ(pins->look_at("up", tools("evil")), Names{"t"});
  EXPECT_FALSE(pins->read_again());
  auto accepted = store()->accept({"up", "t"});
  ASSERT_TRUE(accepted);
  EXPECT_TRUE(*accepted);
  EXPECT_TRUE(pins->read_again());
  EXPECT_EQ(pins->look_at("up", tools("evil")), Names{});
  EXPECT_EQ(pins->look_at("up", tools("good")), Names{"t"})
      << "what was accepted before is not now";
}

TEST_F(PinsTest, AcceptOnlyTheDefinitionThatAPersonHasSeen) {
  const std::pair<std::string, std::string> key("up", "t");
  const std::string seen = sha256(pinned_part(tools("evil")[0].definition));
  {
    auto pins = remembered(PinMode::block);
    EXPECT_FALSE(pins->accept(key, seen)) << "there is no such tool";
    pins->look_at("up", tools("good"));
    EXPECT_TRUE(pins->changes().empty());
    EXPECT_FALSE(pins->accept(key, seen)) << "it has not changed";
    pins->look_at("up", tools("evil"));
    pins->look_at("up", tools("worse"));
    EXPECT_FALSE(pins->accept(key, seen)) << "it has changed again";
    pins->look_at("up", tools("evil"));
    ASSERT_EQ(pins->changes().size(), 1U);
    EXPECT_TRUE(pins->accept(key, seen));
    EXPECT_TRUE(pins->changes().empty());
    EXPECT_EQ(pins->look_at("up", tools("evil")), Names{});
    EXPECT_FALSE(pins->read_again()) << "the file has the same";
  }
  EXPECT_EQ(remembered(PinMode::block)->look_at("up", tools("evil")), Names{});
}

TEST_F(PinsTest, NeverAcceptAnAmbiguousDefinition) {
  Pins pins;
  pins.set(PinMode::block, 10);
  pins.look_at("up", tools("good"));
  pins.look_at("up", {{"t", R"({"name":"t","name":"u"})"}});
  const std::string changed = pins.changes().at({"up", "t"}).changed;
  EXPECT_FALSE(pins.accept({"up", "t"}, sha256(changed)));
  EXPECT_NE(pins.why_hidden("up", tools("good")[0]).find("ambiguous"), std::string::npos);
}

TEST_F(PinsTest, RememberNoMoreThanTheyMay) {
  Pins pins;
  pins.set(PinMode::block, 1);
  EXPECT_EQ(pins.look_at("up", {{"a", R"({"name":"a"})"}, {"b", R"({"name":"b"})"}}), Names{"b"});
  EXPECT_NE(pins.why_hidden("up", {"b", R"({"name":"b"})"}).find("limits.max_pins_per_upstream"),
            std::string::npos);
}

TEST_F(PinsTest, ReportsAnUnusableFolder) {
  auto opened = PinStore::open("/proc/nowhere");
  ASSERT_FALSE(opened);
  EXPECT_NE(opened.error().message.find("/proc/nowhere"), std::string::npos);
}

}  // namespace
}  // namespace patchbay::policy
