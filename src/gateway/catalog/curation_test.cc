#include "gateway/catalog/curation.h"

#include <gtest/gtest.h>

#include "config/load.h"
#include "json/read.h"
#include "testing/fake_upstream.h"

namespace patchbay::gateway {
namespace {

using mcp::ItemKind;
using Names = std::vector<std::string>;

Offer offer(const Names& tools) {
  Offer made{std::make_shared<testing::FakeUpstream>("up"), {}};
  for (const auto& name : tools) {
    mcp::of(made.items, ItemKind::tool)
        .push_back({name, R"({"name":")" + name + R"(","description":"own words","x":1})"});
  }
  mcp::of(made.items, ItemKind::prompt).push_back({"drop", R"({"name":"drop"})"});
  return made;
}

Names names(const Offer& of) {
  Names all;
  for (const auto& tool : mcp::of(of.items, ItemKind::tool)) all.push_back(tool.key);
  return all;
}

TEST(Curation, OffersEverythingByDefault) {
  Offer all = offer({"a", "b"});
  EXPECT_EQ(curate(all, {}), Names{});
  EXPECT_EQ(names(all), (Names{"a", "b"}));
}

TEST(Curation, DenyStandsAboveAllow) {
  Offer some = offer({"read_a", "read_b", "drop", "list"});
  EXPECT_EQ(curate(some, {.allow = {"read_*", "drop"}, .deny = {"*_b", "d??p"}}), Names{});
  EXPECT_EQ(names(some), Names{"read_a"});
  EXPECT_EQ(mcp::of(some.items, ItemKind::prompt).size(), 1U) << "prompts are not tools";
  Offer none = offer({"a"});
  curate(none, {.allow = {}});
  EXPECT_EQ(names(none), Names{});
}

TEST(Curation, RenamedToolsAreCalledByTheirOwnName) {
  Offer renamed = offer({"a", "b", "c"});
  EXPECT_EQ(curate(renamed, {.rename = {{"a", "b"}, {"b", "a"}}}), Names{}) << "they may swap";
  const Catalog catalog({renamed}, {});
  EXPECT_EQ(catalog.find(ItemKind::tool, "up__a")->key, "b");
  EXPECT_EQ(catalog.find(ItemKind::tool, "b")->key, "a");
  EXPECT_EQ(catalog.find(ItemKind::tool, "up.c")->key, "c");

  Offer away = offer({"a"});
  curate(away, {.rename = {{"a", "z"}}});
  const Catalog other({away}, {});
  EXPECT_EQ(other.find(ItemKind::tool, "a"), nullptr) << "the own name is not listed";
  EXPECT_EQ(other.find(ItemKind::tool, "up_z")->key, "a");
}

TEST(Curation, ADescriptionIsReplacedAndTheRestStays) {
  Offer described = offer({"a"});
  curate(described, {.describe = {{"a", "say \"a\""}}});
  const std::string& text = mcp::of(described.items, ItemKind::tool)[0].definition;
  EXPECT_EQ(json::string_member(text, "description"), "say \"a\"");
  EXPECT_EQ(json::member(text, "x"), "1");
  EXPECT_EQ(text.find("own words"), std::string::npos);
}

TEST(Curation, NoToolTakesTheNameOfAnother) {
  Offer clash = offer({"a", "b", "c"});
  const auto problems = curate(clash, {.rename = {{"a", "b"}, {"c", "a"}}});
  EXPECT_EQ(names(clash), (Names{"a", "b", "c"})) << "a stays a, so c cannot become a";
  EXPECT_EQ(problems, (Names{"'a' cannot be renamed to 'b': there is a tool of that name",
                             "'c' cannot be renamed to 'a': there is a tool of that name"}));
  Offer gone = offer({"a", "b"});
  EXPECT_EQ(curate(gone, {.deny = {"b"}, .rename = {{"a", "b"}}}), Names{}) << "b is free";
  EXPECT_EQ(names(gone), Names{"b"});
}

TEST(Curation, ReportsToolsThatAreNotThere) {
  Offer few = offer({"a"});
  EXPECT_EQ(curate(few, {.rename = {{"x", "y"}}, .describe = {{"z", "text"}}}),
            (Names{"tools.rename is about 'x', which is not there",
                   "tools.describe is about 'z', which is not there"}));
}

TEST(Curation, NamesThePatternThatDenies) {
  const ToolSettings settings{.allow = {"get*", "delete*"}, .deny = {"x", "delete_*"}};
  EXPECT_EQ(denied_by(settings, "get"), nullptr);
  ASSERT_TRUE(denied_by(settings, "delete_all"));
  EXPECT_EQ(*denied_by(settings, "delete_all"), "delete_*");
  EXPECT_TRUE(is_allowed(settings, "get"));
  EXPECT_FALSE(is_allowed(settings, "put"));
}

TEST(Curation, FaultsHaveTheirLine) {
  config::Faults faults;
  const auto root = config::load_text("rename:\n  a: same\n  b: same\n  c: with space\n  d: [1]\n",
                                      "f.yaml", faults);
  check_tools(root, {"f.yaml", "upstreams.u.tools", faults});
  Names lines;
  for (const auto& fault : faults) lines.push_back(config::to_string(fault));
  EXPECT_EQ(lines,
            (Names{"f.yaml:3: upstreams.u.tools.rename.b: 'a' is renamed to the same name",
                   "f.yaml:4: upstreams.u.tools.rename.c: a name has 1 to 128 letters, digits, _, "
                   "- or ."}));
}

}  // namespace
}  // namespace patchbay::gateway
