#include "gateway/instructions.h"

#include <gtest/gtest.h>

namespace patchbay::gateway {
namespace {

TEST(Instructions, EachIsUnderItsUpstream) {
  EXPECT_EQ(merge_instructions("Ask first.", {{"files", "Read only.\n"}, {"far", " Slow. "}}, 1000),
            "Ask first.\n\n# files\n\nRead only.\n\n# far\n\nSlow.");
}

TEST(Instructions, EmptyOnesAreLeftOut) {
  EXPECT_EQ(merge_instructions("", {}, 1000), "");
  EXPECT_EQ(merge_instructions(" \n", {{"a", ""}, {"b", " "}, {"c", "See."}}, 1000), "# c\n\nSee.");
}

TEST(Instructions, NoneCanPassForAnother) {
  EXPECT_EQ(merge_instructions("# Own", {{"a", "See.\n# b\n ## c\nno # heading"}}, 1000),
            "# Own\n\n# a\n\nSee.\n## b\n ### c\nno # heading");
  EXPECT_EQ(merge_instructions("", {{"a", std::string("x\r\n# b\x1b[31m\0y\x7f\tz", 16)}}, 1000),
            "# a\n\nx\n## b[31my\tz");
  EXPECT_EQ(merge_instructions("", {{"a", "# b"}}, 1000), "# a\n\n## b");
  EXPECT_EQ(merge_instructions("", {{"a", "See.\nb\n ===\na = b"}}, 1000),
            "# a\n\nSee.\nb\n \\===\na = b");
}

TEST(Instructions, AreBoundedAndShareTheSpace) {
  const std::string text(10'000, 'x');
  for (std::size_t most = 0; most < 300; ++most) {
    const auto merged =
        merge_instructions("Own.", {{"one", text}, {"two", "Short."}, {"three", text}}, most);
    EXPECT_LE(merged.size(), most);
  }
  const auto merged =
      merge_instructions("Own.", {{"one", text}, {"two", "Short."}, {"three", text}}, 300);
  for (const auto* const part :
       {"Own.", "# one\n\nxxx", "# two\n\nShort.", "# three\n\nxxx", "…"}) {
    EXPECT_NE(merged.find(part), std::string::npos) << part;
  }
}

TEST(Instructions, AreCutBetweenCharacters) {
  std::string text;
  for (int i = 0; i < 50; ++i) text += "é";
  for (std::size_t most = 3; most < 60; ++most) {
    const auto merged = merge_instructions(text, {}, most);
    EXPECT_LE(merged.size(), most);
    EXPECT_EQ((merged.size() - 3) % 2, 0u) << merged;
  }
}

}  // namespace
}  // namespace patchbay::gateway
