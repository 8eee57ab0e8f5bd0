#include "gateway/call/task_ids.h"

#include <gtest/gtest.h>

namespace patchbay::gateway {
namespace {

TEST(TaskIds, AreFoundByTheCallerThatMadeTheTask) {
  const TaskIds ids(policy::Sealer(policy::Sealer::Key{1}));
  const Principal ann{"ann"};
  for (const std::string id : {"0.1", "p.a.b:c", ""}) {
    const std::string listed = ids.listed(ann, "up", id);
    EXPECT_EQ(listed, ids.listed(ann, "up", id));
    const auto location = ids.find(ann, listed);
    ASSERT_TRUE(location);
    EXPECT_EQ(location->upstream, "up");
    EXPECT_EQ(location->id, id);
  }
}

TEST(TaskIds, MeanNothingToAnyoneElse) {
  const TaskIds ids(policy::Sealer(policy::Sealer::Key{1}));
  const TaskIds others(policy::Sealer(policy::Sealer::Key{2}));
  const Principal ann{"ann"};
  const std::string listed = ids.listed(ann, "up", "0.1");
  EXPECT_FALSE(ids.find({"bob"}, listed));
  EXPECT_FALSE(others.find(ann, listed));
  EXPECT_FALSE(ids.find(ann, listed + "2"));
  EXPECT_FALSE(ids.find(ann, "other" + listed.substr(2)));
  for (const auto* const made_up : {"", "up", "up:", "up:.", "up:0.1", ":x.1"}) {
    EXPECT_FALSE(ids.find(ann, made_up)) << made_up;
  }
}

}  // namespace
}  // namespace patchbay::gateway
