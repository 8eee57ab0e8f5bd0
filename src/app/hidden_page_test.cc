#include "app/hidden_page.h"

#include <gtest/gtest.h>

namespace patchbay::app {
namespace {

using frontends::HiddenReason;
using mcp::ItemKind;

const auto kDenied = [] {
  return std::optional(HiddenBecause{HiddenReason::denied, "tools.deny"});
};
const auto kNothing = [] { return std::optional<HiddenBecause>(); };

TEST(HiddenPage, LooksAtABoundedNumberOfRows) {
  const frontends::HiddenQuery query{.limit = 10};
  HiddenPage page(query, 7);
  ASSERT_TRUE(page.begin("a"));
  for (std::size_t i = 0; i < HiddenPage::kMostSteps; ++i) page.row(ItemKind::tool, "x", kNothing);
  EXPECT_FALSE(page.done());
  page.row(ItemKind::tool, "last", kDenied);
  EXPECT_TRUE(page.done());
  EXPECT_FALSE(page.begin("b")) << "it is complete";
  const auto found = page.take();
  EXPECT_TRUE(found.items.empty());
  EXPECT_EQ(found.next->catalog, 7U);

  const frontends::HiddenQuery rest{.from = found.next, .limit = 10};
  HiddenPage second(rest, 7);
  ASSERT_TRUE(second.begin("a"));
  for (std::size_t i = 0; i < HiddenPage::kMostSteps; ++i) second.row(ItemKind::tool, "x", kDenied);
  second.row(ItemKind::tool, "last", kDenied);
  EXPECT_TRUE(second.begin("b"));
  const auto last = second.take();
  ASSERT_EQ(last.items.size(), 1U);
  EXPECT_EQ(last.items[0].name, "last");
}

TEST(HiddenPage, BeginsWithTheUpstreamOfTheCursor) {
  const frontends::HiddenQuery query{.from = frontends::HiddenCursor{7, 1, 1}, .limit = 10};
  HiddenPage page(query, 7);
  EXPECT_FALSE(page.begin("a"));
  EXPECT_TRUE(page.begin("b"));
  page.row(std::nullopt, "", kDenied);
  page.row(ItemKind::tool, "x", kDenied);
  EXPECT_TRUE(page.begin("c"));
  page.row(std::nullopt, "", kDenied);
  const auto found = page.take();
  ASSERT_EQ(found.items.size(), 2U);
  EXPECT_EQ(found.items[0].name, "x");
  EXPECT_EQ(found.items[1].upstream, "c");
}

TEST(HiddenPage, FiltersBeforeItCounts) {
  const frontends::HiddenQuery query{
      .kind = ItemKind::tool, .search = "pay", .reason = HiddenReason::denied, .limit = 1};
  HiddenPage page(query, 7);
  ASSERT_TRUE(page.begin("a"));
  page.row(ItemKind::prompt, "pay", kDenied);
  page.row(ItemKind::tool, "buy", kDenied);
  page.row(ItemKind::tool, "rePay", kDenied);
  page.row(ItemKind::tool, "sell", kDenied);
  EXPECT_FALSE(page.done()) << "nothing more fits";
  page.row(ItemKind::tool, "pay", kDenied);
  EXPECT_TRUE(page.done());
  EXPECT_EQ(page.take().items.size(), 1U);
}

}  // namespace
}  // namespace patchbay::app
