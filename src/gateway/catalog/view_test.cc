#include "gateway/catalog/view.h"

#include <gtest/gtest.h>

#include "testing/fake_upstream.h"
#include "testing/manual_executor.h"

namespace patchbay::gateway {
namespace {

using namespace std::chrono_literals;
using mcp::ItemKind;

class CatalogViewTest : public ::testing::Test {
 protected:
  CatalogViewTest() {
    view.set_debounce(100ms);
    view.on_change([this](CatalogChanges& update) {
      for (const auto notification : update.of(*local_caller())) sent.emplace_back(notification);
    });
  }

  // A catalog with one tool and, if named, one prompt.
  void offer(const std::string& tool, const std::string& prompt = "", bool synced = true) {
    Offer made{upstream, {}};
    mcp::of(made.items, ItemKind::tool).push_back({tool, "{}"});
    if (!prompt.empty()) mcp::of(made.items, ItemKind::prompt).push_back({prompt, "{}"});
    view.update(std::make_shared<const Catalog>(std::vector{made}, NameSettings()), synced);
  }

  using Sent = std::vector<std::string>;
  const std::string tools = "notifications/tools/list_changed";
  const std::string prompts = "notifications/prompts/list_changed";
  testing::ManualExecutor executor;
  std::shared_ptr<Upstream> upstream = std::make_shared<testing::FakeUpstream>("up");
  CatalogView view;
  Sent sent;
};

TEST_F(CatalogViewTest, ManyChangesAreNotifiedAsOne) {
  offer("start");
  sent.clear();
  for (const auto* const tool : {"a", "b", "c"}) {
    offer(tool, "p");
    EXPECT_NE(view.whole()->find(ItemKind::tool, tool), nullptr) << "the catalog does not wait";
    executor.pass(20ms);
  }
  EXPECT_EQ(sent, Sent{});
  executor.pass(100ms);
  EXPECT_EQ(sent, (Sent{prompts, tools}));
  executor.pass(1s);
  EXPECT_EQ(sent.size(), 2U);
  offer("d", "p");
  executor.pass(200ms);
  EXPECT_EQ(sent, (Sent{prompts, tools, tools})) << "later changes are notified again";
}

TEST_F(CatalogViewTest, ARevertedChangeIsNotNotified) {
  offer("a");
  sent.clear();
  offer("b");
  offer("a");
  executor.pass(200ms);
  EXPECT_EQ(sent, Sent{});
}

TEST_F(CatalogViewTest, TheListIsCompleteAtOnce) {
  offer("a", "", false);
  EXPECT_EQ(sent, Sent{});
  offer("b", "", true);
  EXPECT_EQ(sent, Sent{tools});
  executor.pass(1s);
  EXPECT_EQ(sent, Sent{tools}) << "later clients are not notified of the start";
}

TEST_F(CatalogViewTest, NothingIsGatheredWithoutDebounce) {
  view.set_debounce(0ms);
  offer("a");
  offer("b");
  EXPECT_EQ(sent, (Sent{tools, tools}));
}

}  // namespace
}  // namespace patchbay::gateway
