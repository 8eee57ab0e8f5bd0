#include "config/relaxed_json.h"

#include <gtest/gtest.h>

#include "config/load.h"

namespace patchbay::config {
namespace {

TEST(RelaxedJson, CommentsAndTrailingCommasBecomeSpaces) {
  EXPECT_EQ(strict_json("{\"a\": 1, // x\n}"), "{\"a\": 1      \n}");
  EXPECT_EQ(strict_json("[1,/* a\nb */ 2,\n ]"), "[1,    \n     2 \n ]");
  EXPECT_EQ(strict_json("[\"//\", \"a,]\", \"\\\",]\"]"), "[\"//\", \"a,]\", \"\\\",]\"]");
  EXPECT_EQ(strict_json("[1,,]"), "[1, ]") << "still no JSON";
  EXPECT_EQ(strict_json("[1] /* open"), "[1] /* open");
}

TEST(RelaxedJson, IsLoadedWithItsLines) {
  Faults faults;
  const Node root = load_text("// mine\n{\n  \"a\": [1, 2,], // two\n}\n", "f.json", faults);
  EXPECT_TRUE(faults.empty());
  ASSERT_TRUE(root.find("a"));
  EXPECT_EQ(root.find("a")->items.size(), 2U);
  EXPECT_EQ(root.find("a")->line, 3);
  load_text("{\n\"a\": 1,,\n}", "f.json", faults);
  ASSERT_EQ(faults.size(), 1U);
  EXPECT_EQ(faults.front().line, 3) << "the second comma is a trailing one";
}

}  // namespace
}  // namespace patchbay::config
