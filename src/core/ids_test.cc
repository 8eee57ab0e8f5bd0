#include "core/ids.h"

#include <gtest/gtest.h>

#include <regex>
#include <set>

namespace patchbay {
namespace {

TEST(Ids, AreUuids) {
  const std::regex form("[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}");
  std::set<std::string> all;
  for (int i = 0; i < 1000; ++i) all.insert(random_uuid());
  EXPECT_EQ(all.size(), 1000u);
  for (const auto& id : all) EXPECT_TRUE(std::regex_match(id, form)) << id;
}

}  // namespace
}  // namespace patchbay
