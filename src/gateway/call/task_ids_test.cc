#include "gateway/call/task_ids.h"

#include <gtest/gtest.h>

namespace patchbay::gateway {
namespace {

TEST(TaskIds, AreFoundByTheCallerThatMadeTheTask) {
  const policy::Keyring keys({std::string(32, '1')});
  const TaskIds ids(keys);
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
  const policy::Keyring keys({std::string(32, '1')});
  const policy::Keyring other_keys({std::string(32, '2')});
  const TaskIds ids(keys);
  const TaskIds others(other_keys);
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

TEST(TaskIds, OutliveTheKeyThatMadeThem) {
  policy::Keyring keys({std::string(32, '1')});
  const TaskIds ids(keys);
  const Principal ann{"ann"};
  const std::string listed = ids.listed(ann, "up", "0.1");
  keys.use({std::string(32, '2'), std::string(32, '1')});
  EXPECT_NE(ids.listed(ann, "up", "0.1"), listed);
  EXPECT_TRUE(ids.find(ann, listed));
  keys.use({std::string(32, '2')});
  EXPECT_FALSE(ids.find(ann, listed));
}

}  // namespace
}  // namespace patchbay::gateway
