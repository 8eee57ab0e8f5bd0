#include "config/digest.h"

#include <gtest/gtest.h>

#include "config/load.h"

namespace patchbay::config {
namespace {

std::string digest_of(std::string_view text) {
  Faults faults;
  const Node node = load_text(text, "f.yaml", faults);
  EXPECT_TRUE(faults.empty()) << to_string(faults.front());
  return digest(node);
}

TEST(Digest, IsSixteenDigitsAndStaysTheSame) {
  EXPECT_EQ(digest_of("command: python3\nargs: [a, b]\n").size(), 16u);
  // Pinned: a digest is compared between versions of the program.
  EXPECT_EQ(digest(Node{}), "af63e34c8601f871");
}

TEST(Digest, DoesNotChangeWithTheLook) {
  const std::string digest = digest_of("command: python3\nenv: { A: x, B: 5 }\nargs: [a, b]\n");
  EXPECT_EQ(digest,
            digest_of("# why\nargs:\n- a\n- 'b'\nenv: { B: 5, A: x }\ncommand: \"python3\"\n"));
  EXPECT_EQ(digest, digest_of(R"({"command":"python3","args":["a","b"],"env":{"A":"x","B":5}})"));
}

TEST(Digest, ChangesWithTheMeaning) {
  const std::string digest = digest_of("command: x\nargs: [a, b]\n");
  for (const auto other :
       {"command: y\nargs: [a, b]\n", "command: x\nargs: [b, a]\n", "command: x\nargs: [ab]\n",
        "command: x\nargs: [a, b, ~]\n", "command: x\n", "args: [a, b]\n",
        "comman: xd\nargs: [a, b]", "command: [x]\nargs: [a, b]\n"}) {
    EXPECT_NE(digest, digest_of(other)) << other;
  }
  EXPECT_NE(digest_of("a: 5"), digest_of("a: '5'"));
  EXPECT_NE(digest_of("a: true"), digest_of("a: 'true'"));
  EXPECT_NE(digest_of("a: ~"), digest_of("a: ''"));
  EXPECT_NE(digest_of("a: []"), digest_of("a: {}"));
}

}  // namespace
}  // namespace patchbay::config
