#include "gateway/call/task_tools.h"

#include <gtest/gtest.h>

namespace patchbay::gateway {
namespace {

TEST(TaskTools, TheToolOfATask) {
  TaskTools tools;
  tools.add("up", "1", {"add"}, 10);
  EXPECT_EQ(tools.find("up", "1")->tool, "add");
  EXPECT_FALSE(tools.find("other", "1"));
  EXPECT_FALSE(tools.find("up", "2"));
}

TEST(TaskTools, TheOldestAreForgotten) {
  TaskTools tools;
  tools.add("up", "1", {"a"}, 2);
  tools.add("up", "2", {"b"}, 2);
  tools.add("up", "1", {"c"}, 2);
  tools.add("up", "3", {"d"}, 2);
  EXPECT_FALSE(tools.find("up", "1"));
  EXPECT_EQ(tools.find("up", "2")->tool, "b");
  EXPECT_EQ(tools.find("up", "3")->tool, "d");
}

}  // namespace
}  // namespace patchbay::gateway
