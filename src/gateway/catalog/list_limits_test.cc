// Tests of the limits on what an upstream lists.
#include "gateway/catalog/list_limits.h"

#include <gtest/gtest.h>

namespace patchbay::gateway {
namespace {

ListLimits small() { return {3, {100}, {250}, 2}; }

Result<void> check(std::size_t tools, std::size_t resources, std::size_t size) {
  mcp::ItemLists lists;
  mcp::of(lists, mcp::ItemKind::tool).assign(tools, {"t", std::string(size, 'x')});
  mcp::of(lists, mcp::ItemKind::resource).assign(resources, {"r", std::string(size, 'x')});
  return check_lists(lists, small());
}

TEST(ListLimits, TakesWhatFits) {
  EXPECT_TRUE(check(2, 1, 10));
  EXPECT_TRUE(check(1, 1, 100));
}

TEST(ListLimits, CountsAllKindsTogether) {
  const auto refused = check(2, 2, 10);
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, Code::too_large);
  EXPECT_TRUE(refused.error().message.contains("lists.max_items")) << refused.error().message;
}

TEST(ListLimits, BoundsOneDefinitionAndAllOfThem) {
  const auto one = check(1, 0, 101);
  ASSERT_FALSE(one);
  EXPECT_TRUE(one.error().message.contains("lists.max_definition_size")) << one.error().message;
  const auto all = check(2, 1, 90);
  ASSERT_FALSE(all);
  EXPECT_TRUE(all.error().message.contains("lists.max_total_size")) << all.error().message;
}

TEST(ListLimits, BoundsPages) {
  const ListBudget budget(small());
  EXPECT_TRUE(budget.check_page(mcp::ItemKind::tool, 2));
  const auto refused = budget.check_page(mcp::ItemKind::tool, 3);
  ASSERT_FALSE(refused);
  EXPECT_TRUE(refused.error().message.contains("lists.max_pages")) << refused.error().message;
}

}  // namespace
}  // namespace patchbay::gateway
