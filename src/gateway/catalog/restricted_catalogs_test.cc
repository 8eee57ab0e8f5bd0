#include "gateway/catalog/restricted_catalogs.h"

#include <gtest/gtest.h>

#include "gateway/catalog/changes.h"
#include "testing/fake_upstream.h"

namespace patchbay::gateway {
namespace {

using mcp::ItemKind;
using testing::FakeUpstream;

policy::RuleSettings rule(std::string role, std::vector<std::string> allow) {
  policy::RuleSettings settings;
  settings.role = std::move(role);
  settings.allow = std::move(allow);
  return settings;
}

std::shared_ptr<const policy::Rules> rules(std::vector<policy::RuleSettings> settings) {
  const std::string file;
  config::Faults faults;
  return std::make_shared<const policy::Rules>(settings, config::Node(), "1",
                                               config::Location{file, "rules", faults});
}

Offer offer(const std::string& name, const std::vector<std::string>& tools) {
  Offer made{std::make_shared<FakeUpstream>(name), {}};
  for (const auto& tool : tools) {
    mcp::of(made.items, ItemKind::tool).push_back({tool, R"({"name":")" + tool + R"("})"});
  }
  return made;
}

Principal caller(std::vector<std::string> roles) {
  return {"1", "x", AuthMethod::token, std::move(roles)};
}

TEST(RestrictedCatalogs, WhatIsHiddenLeavesNoTrace) {
  RestrictedCatalogs restricted;
  const auto whole = std::make_shared<const Catalog>(
      std::vector{offer("a", {"same", "own"}), offer("b", {"same"})},
      NameSettings{.prefix = Prefix::conflict});
  const CatalogSnapshot snapshot{whole, rules({rule("r", {"b.*"})})};
  const auto seen = restricted.of(snapshot, caller({"r"}));
  EXPECT_EQ(seen->size(ItemKind::tool), 1U);
  ASSERT_NE(seen->find(ItemKind::tool, "same"), nullptr) << "the bare name is no longer ambiguous";
  EXPECT_EQ(seen->find(ItemKind::tool, "same")->listed, "same") << "nor in conflict";
  EXPECT_EQ(seen->find(ItemKind::tool, "a__same"), nullptr);
  EXPECT_EQ(seen->find(ItemKind::tool, "own"), nullptr);
  EXPECT_EQ(seen->find_upstream("a"), nullptr);
  EXPECT_NE(seen->find_upstream("b"), nullptr);
  EXPECT_EQ(seen->family(), whole->number());
}

TEST(RestrictedCatalogs, AreSharedByCallersThatSeeTheSame) {
  RestrictedCatalogs restricted;
  const CatalogSnapshot snapshot{
      std::make_shared<const Catalog>(std::vector{offer("a", {"x", "y"})}, NameSettings()),
      rules({rule("r", {"a.x"}), rule("s", {"a.y"})})};
  const auto first = restricted.of(snapshot, caller({"r"}));
  EXPECT_EQ(restricted.of(snapshot, caller({"r", "unknown"})), first);
  EXPECT_NE(restricted.of(snapshot, caller({"s"})), first);
  const auto* const tool = first->find(ItemKind::tool, "x");
  EXPECT_EQ(tool->schemas, snapshot.catalog->find(ItemKind::tool, "x")->schemas);
}

TEST(CatalogChanges, AreForCallersThatSeeTheChange) {
  RestrictedCatalogs restricted;
  const auto both = rules({rule("r", {"a.x"}), rule("s", {"a.*"})});
  const CatalogSnapshot before{
      std::make_shared<const Catalog>(std::vector{offer("a", {"x"})}, NameSettings()), both};
  const CatalogSnapshot now{
      std::make_shared<const Catalog>(std::vector{offer("a", {"x", "y"})}, NameSettings()), both};
  CatalogChanges update(before, now, restricted);
  EXPECT_TRUE(update.of(caller({"r"})).empty());
  EXPECT_EQ(update.of(caller({"s"})).size(), 1U);
  CatalogChanges ruled({now.catalog, nullptr}, now, restricted);
  EXPECT_EQ(ruled.of(caller({"r"})).size(), 1U) << "changed rules are changes too";
  EXPECT_TRUE(ruled.of(caller({"s"})).empty());
}

}  // namespace
}  // namespace patchbay::gateway
