#include "bus/correlation.h"

#include <gtest/gtest.h>

#include "bus/framing.h"

namespace patchbay::bus {
namespace {

using Ids = std::vector<std::string>;

TEST(Correlation, IsFirstOfAllInTheKey) {
  EXPECT_EQ(
      find_ids({.key = R"({"requestId":"A-1","correlationId":"B-2"})", .id = "C-3"}, "requestId"),
      (Ids{"a-1", "b-2", "c-3"}));
  EXPECT_EQ(find_ids({.key = R"({"correlationId":"B-2"})"}, "requestId"), (Ids{"b-2"}));
  const std::string framed = frame(3, R"({"correlationId":"F"})");
  EXPECT_EQ(find_ids({.key = framed}, "correlationId"), (Ids{"f"}));
}

TEST(Correlation, TakesAKeyThatIsText) {
  EXPECT_EQ(find_ids({.key = "ABC"}, "correlationId"), (Ids{"abc"}));
  EXPECT_EQ(find_ids({.key = R"("ABC")"}, "correlationId"), (Ids{"abc"}));
  EXPECT_EQ(find_ids({.key = R"({"id":12})"}, "id"), (Ids{"12"}));
}

TEST(Correlation, LooksIntoTheValueLast) {
  const IdPaths paths{.value = R"({"correlationId":"V","x":1})"};
  EXPECT_EQ(find_ids(paths, "correlationId"), (Ids{"v"}));
  EXPECT_EQ(find_ids({.id = "H", .value = R"({"correlationId":"V"})"}, "correlationId"),
            (Ids{"h"}));
}

TEST(Correlation, FindsNothingInRubbish) {
  const std::string cut_off("\0\0", 2);
  EXPECT_TRUE(find_ids({.key = cut_off, .value = "{"}, "correlationId").empty());
  EXPECT_TRUE(find_ids({.key = R"({"correlationId":null})"}, "correlationId").empty());
  EXPECT_TRUE(find_ids({.key = std::string(300, 'x')}, "correlationId").empty());
  EXPECT_TRUE(find_ids({}, "correlationId").empty());
}

TEST(Correlation, WritesTheKey) { EXPECT_EQ(key_of("a\"b", "x"), R"({"a\"b":"x"})"); }

}  // namespace
}  // namespace patchbay::bus
