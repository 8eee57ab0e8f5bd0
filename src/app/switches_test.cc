#include "app/switches.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>

namespace patchbay::app {
namespace {

using frontends::ToolSwitch;
using frontends::UpstreamMode;

class SwitchesTest : public ::testing::Test {
 protected:
  SwitchesTest() {
    std::string name = "/tmp/patchbay-switches-XXXXXX";
    folder = ::mkdtemp(name.data());
    EXPECT_TRUE(switches.open(folder));
  }
  ~SwitchesTest() override { std::filesystem::remove_all(folder); }

  std::string folder;
  Switches switches;
};

TEST_F(SwitchesTest, OutliveTheProcess) {
  EXPECT_TRUE(switches.set_upstream("files", {UpstreamMode::drained, "ann", 7}));
  EXPECT_TRUE(switches.set_upstream("web", {UpstreamMode::disabled, "bob", 8}));
  EXPECT_TRUE(switches.set_tool({"shop", "order", "ann", 9}, false));
  Switches later;
  ASSERT_TRUE(later.open(folder));
  EXPECT_EQ(later.upstream("files").mode, UpstreamMode::drained);
  EXPECT_EQ(later.upstream("files").by, "ann");
  EXPECT_EQ(later.upstream("files").when_ms, 7);
  EXPECT_EQ(later.upstream("web").mode, UpstreamMode::disabled);
  EXPECT_EQ(later.upstream("other").mode, UpstreamMode::enabled);
  EXPECT_TRUE(later.is_off("shop", "order"));
  EXPECT_FALSE(later.is_off("shop", "echo"));
  EXPECT_TRUE(later.set_upstream("web", {}));
  EXPECT_TRUE(later.set_tool({"shop", "order"}, true));
  Switches last;
  ASSERT_TRUE(last.open(folder));
  EXPECT_EQ(last.upstream("web").mode, UpstreamMode::enabled);
  EXPECT_FALSE(last.is_off("shop", "order"));
}

TEST_F(SwitchesTest, BoundTheToolsThatAreOff) {
  switches.set_most_tools_off(1);
  EXPECT_TRUE(switches.set_tool({"shop", "order"}, false));
  const auto refused = switches.set_tool({"shop", "echo"}, false);
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, Code::overloaded);
  EXPECT_NE(refused.error().message.find("limits.max_tools_off"), std::string::npos);
  EXPECT_TRUE(switches.set_tool({"shop", "order"}, true));
  EXPECT_TRUE(switches.set_tool({"shop", "echo"}, false));
}

TEST_F(SwitchesTest, RefuseAChangeThatChangesNothing) {
  EXPECT_FALSE(switches.set_tool({"shop", "order"}, true));
  EXPECT_TRUE(switches.set_tool({"shop", "order", "ann"}, false));
  const auto again = switches.set_tool({"shop", "order", "bob"}, false);
  ASSERT_FALSE(again);
  EXPECT_EQ(again.error().code, Code::not_found);
  EXPECT_EQ(switches.tools_off("shop").at(0).by, "ann");
  EXPECT_TRUE(switches.tools_off("other").empty());
}

TEST_F(SwitchesTest, NeedNoFolder) {
  Switches transient;
  ASSERT_TRUE(transient.open(""));
  EXPECT_TRUE(transient.set_upstream("files", {UpstreamMode::disabled}));
  EXPECT_EQ(transient.upstream("files").mode, UpstreamMode::disabled);
}

TEST_F(SwitchesTest, AreRefusedIfTheyCannotBeRead) {
  const std::string broken = folder + "/broken";
  std::filesystem::create_directory(broken);
  std::ofstream(Switches::file_in(broken)) << "this is not a database, and long enough to be read";
  Switches none;
  EXPECT_FALSE(none.open(broken));
}

}  // namespace
}  // namespace patchbay::app
