// Tests of what stays listed when upstreams come, go and change, with upstreams that behave.
#include "app/upstream_set.h"

#include <gtest/gtest.h>

#include "testing/fake_upstream.h"
#include "testing/manual_executor.h"

namespace patchbay::app {
namespace {

using namespace std::chrono_literals;
using mcp::ItemKind;
using testing::FakeUpstream;

class UpstreamSetTest : public ::testing::Test {
 protected:
  ~UpstreamSetTest() override {
    Scope scope;
    scope.spawn(set.stop(executor.now()));
    executor.run();
  }

  UpstreamPlan plan(const std::string& name, const std::string& digest = "",
                    gateway::ToolSettings tools = {}) {
    return {name, "fake", digest, {std::move(tools)}, [this, name](const UpstreamContext&) {
              return made[name] = std::make_shared<FakeUpstream>(name);
            }};
  }

  void apply(std::vector<UpstreamPlan> plans) {
    configuration.upstreams = std::move(plans);
    configuration.settings.limits.listed_after_loss = config::Duration(60s);
    Scope scope;
    scope.spawn(set.apply(configuration));
    executor.run();
    EXPECT_TRUE(scope.empty());
  }

  void offer(const std::string& name, const std::vector<std::string>& tools) {
    mcp::ItemLists items;
    for (const auto& tool : tools) mcp::of(items, ItemKind::tool).push_back({tool, "{}"});
    set.offers(*made.at(name), std::move(items));
    executor.run();
  }

  // Lets time pass as it does: a little at a time.
  void pass(std::chrono::seconds span) {
    for (auto left = span; left > 0s; left -= 1s) executor.pass(1100ms);
  }

  bool listed(const std::string& tool) const {
    return catalog->find(ItemKind::tool, tool) != nullptr;
  }

  // What is hidden, as `upstream name reason`.
  std::vector<std::string> hidden() const {
    auto found = set.hidden({.limit = 100});
    EXPECT_TRUE(found) << found.error().message;
    std::vector<std::string> lines;
    for (const auto& item : found->items) {
      lines.push_back(item.upstream + " " + item.name + " " + std::string(name_of(item.reason)));
    }
    return lines;
  }

  testing::ManualExecutor executor;
  metrics::Registry registry;
  gateway::Subscriptions subscriptions;
  policy::Pins pins;
  Switches switches;
  std::vector<net::Loop*> no_workers;
  std::map<std::string, std::shared_ptr<FakeUpstream>> made;
  std::shared_ptr<const gateway::Catalog> catalog;
  Configuration configuration;
  BusService buses;
  UpstreamSet set{executor,
                  no_workers,
                  registry,
                  subscriptions,
                  pins,
                  switches,
                  buses,
                  nullptr,
                  [this](auto fresh, bool) { catalog = std::move(fresh); },
                  [](const std::string&, const std::string&) {},
                  [](auto&&...) {}};
};

TEST_F(UpstreamSetTest, WhatIsLostStaysListedForAWhile) {
  apply({plan("a"), plan("b")});
  offer("a", {"x"});
  offer("b", {"y"});
  made["a"]->be(false);
  pass(50s);
  EXPECT_TRUE(listed("a__x"));
  pass(20s);
  EXPECT_FALSE(listed("a__x"));
  EXPECT_TRUE(listed("b__y"));
  EXPECT_EQ(set.report()[0].tools, 0U);
}

TEST_F(UpstreamSetTest, WhatComesBackIsListedAgain) {
  apply({plan("a")});
  offer("a", {"x"});
  made["a"]->be(false);
  pass(70s);
  ASSERT_FALSE(listed("a__x"));
  made["a"]->be(true);
  pass(2s);
  EXPECT_TRUE(listed("a__x")) << "what was known of it";
  offer("a", {"z"});
  EXPECT_TRUE(listed("a__z"));
}

TEST_F(UpstreamSetTest, ComingBackInBetweenCounts) {
  apply({plan("a")});
  offer("a", {"x"});
  for (int i = 0; i < 3; ++i) {
    made["a"]->be(false);
    pass(40s);
    made["a"]->be(true);
    pass(2s);
  }
  EXPECT_TRUE(listed("a__x")) << "it was never down for that long";
}

TEST_F(UpstreamSetTest, ChangedToolSettingsDoNotRestartTheUpstream) {
  apply({plan("a", "same")});
  offer("a", {"x", "y"});
  const auto before = made["a"];
  apply({plan("a", "same", {.deny = {"x"}, .rename = {{"y", "better"}}})});
  EXPECT_EQ(made["a"], before);
  EXPECT_FALSE(listed("a__x"));
  EXPECT_FALSE(listed("a__y"));
  EXPECT_EQ(catalog->find(ItemKind::tool, "a__better")->key, "y");
  EXPECT_EQ(set.report()[0].tools, 1U);
}

TEST_F(UpstreamSetTest, WhatCannotBeDoneIsReported) {
  apply({plan("a", "", {.rename = {{"x", "y"}}})});
  EXPECT_EQ(set.report()[0].state.detail, "starting");
  offer("a", {"x", "y"});
  EXPECT_NE(set.report()[0].state.detail.find("'x' cannot be renamed to 'y'"), std::string::npos);
  EXPECT_TRUE(listed("a__x"));
  offer("a", {"x"});
  EXPECT_EQ(set.report()[0].state.detail, "");
  EXPECT_TRUE(listed("a__y"));
}

TEST_F(UpstreamSetTest, WhatIsDrainedIsNotListedForAReason) {
  apply({plan("a"), plan("b")});
  offer("a", {"x"});
  offer("b", {"y"});
  ASSERT_TRUE(switches.set_upstream("a", {frontends::UpstreamMode::drained, "ann"}));
  set.rebuild();
  EXPECT_FALSE(listed("a__x"));
  EXPECT_TRUE(listed("b__y"));
  const auto* const off = catalog->find_off(ItemKind::tool, "a__x");
  ASSERT_TRUE(off);
  EXPECT_NE(off->off->find("'a' is drained"), std::string::npos);
  EXPECT_EQ(set.report()[0].tools, 0U);
  EXPECT_TRUE(set.report()[0].state.up);
  EXPECT_EQ(set.report()[0].switched.by, "ann");
  ASSERT_TRUE(switches.set_upstream("a", {}));
  set.rebuild();
  EXPECT_TRUE(listed("a__x"));
}

TEST_F(UpstreamSetTest, WhatIsDisabledIsReplacedUntilItIsEnabled) {
  apply({plan("a")});
  offer("a", {"x"});
  const auto before = made["a"];
  ASSERT_TRUE(switches.set_upstream("a", {frontends::UpstreamMode::disabled, "ann"}));
  apply({plan("a")});
  EXPECT_FALSE(listed("a__x"));
  EXPECT_NE(set.find_by_name("a"), before);
  EXPECT_FALSE(set.report()[0].state.up);
  ASSERT_TRUE(switches.set_upstream("a", {}));
  apply({plan("a")});
  EXPECT_NE(made["a"], before) << "another one";
  EXPECT_EQ(set.find_by_name("a"), made["a"]);
  offer("a", {"x"});
  EXPECT_TRUE(listed("a__x"));
}

TEST_F(UpstreamSetTest, AToolThatIsOffKeepsItsName) {
  configuration.settings.names.prefix = gateway::Prefix::conflict;
  apply({plan("a", "", {.rename = {{"x", "z"}}}), plan("b")});
  offer("a", {"x"});
  offer("b", {"z"});
  ASSERT_TRUE(switches.set_tool({"a", "x", "ann"}, false));
  set.rebuild();
  EXPECT_FALSE(listed("a__z")) << "by the upstream's own name of it";
  EXPECT_TRUE(listed("b__z"));
  EXPECT_FALSE(listed("z")) << "it is still ambiguous";
  EXPECT_EQ(set.report()[0].tools, 0U);
}

TEST_F(UpstreamSetTest, WhatIsHiddenHasAReason) {
  using Lines = std::vector<std::string>;
  apply({plan("a", "", {.deny = {"x"}}), plan("b"), plan("c")});
  EXPECT_EQ(hidden(), (Lines{"a  upstream", "b  upstream", "c  upstream"}));
  offer("a", {"x", "y"});
  offer("b", {"z", "z"});
  offer("c", {"v"});
  EXPECT_EQ(hidden(), (Lines{"a x denied", "b z name"}));
  ASSERT_TRUE(switches.set_tool({"a", "y", "ann"}, false));
  ASSERT_TRUE(switches.set_upstream("b", {frontends::UpstreamMode::drained, "ann"}));
  set.rebuild();
  EXPECT_EQ(hidden(), (Lines{"a x denied", "a y off", "b  drained", "b z drained", "b z name"}));
  made["c"]->be(false);
  pass(50s);
  EXPECT_EQ(hidden().size(), 5U) << "it is still listed";
  pass(20s);
  EXPECT_EQ(hidden().back(), "c v lost");
}

TEST_F(UpstreamSetTest, ACursorIsOfOneCatalog) {
  apply({plan("a", "", {.deny = {"*"}})});
  offer("a", {"x", "y", "z"});
  auto first = set.hidden({.limit = 2});
  ASSERT_TRUE(first && first->next);
  auto second = set.hidden({.from = first->next, .limit = 2});
  ASSERT_TRUE(second);
  ASSERT_EQ(second->items.size(), 1U);
  EXPECT_EQ(second->items[0].name, "z");
  EXPECT_FALSE(second->next);
  set.rebuild();
  EXPECT_EQ(set.hidden({.from = first->next, .limit = 2}).error().code, Code::invalid_params);
}

TEST_F(UpstreamSetTest, TheOrderIsThatOfTheConfiguration) {
  apply({plan("b"), plan("a")});
  offer("a", {"x"});
  offer("b", {"x"});
  const auto list = *catalog->list(ItemKind::tool, mcp::kNewest, "", 10);
  EXPECT_LT(list.find("b__x"), list.find("a__x"));
}

}  // namespace
}  // namespace patchbay::app
