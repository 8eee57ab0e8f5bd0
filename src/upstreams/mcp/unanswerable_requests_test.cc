// Tests of what is remembered of questions that no client could answer.
#include "upstreams/mcp/unanswerable_requests.h"

#include <gtest/gtest.h>

#include <fmt/format.h>

namespace patchbay::upstreams {
namespace {

constexpr unsigned kForm = 1;
constexpr unsigned kUrl = 2;
constexpr unsigned kRoots = 4;

TEST(UnanswerableRequests, ConcernClientsThatLackTheSame) {
  UnanswerableRequests asked;
  EXPECT_FALSE(asked.find("sign", 0));
  asked.add("sign", {"roots", kRoots});
  ASSERT_TRUE(asked.find("sign", kForm));
  EXPECT_EQ(asked.find("sign", kForm)->capability, "roots");
  EXPECT_FALSE(asked.find("sign", kRoots));
  EXPECT_FALSE(asked.find("other", 0));
}

TEST(UnanswerableRequests, AreNarrowedDownByFurtherOnes) {
  UnanswerableRequests asked;
  asked.add("sign", {"elicitation", kForm | kUrl});
  EXPECT_FALSE(asked.find("sign", kForm)) << "a form may be all that it wants";
  asked.add("sign", {"elicitation", kUrl});
  EXPECT_TRUE(asked.find("sign", kForm));
  EXPECT_FALSE(asked.find("sign", kUrl));
}

TEST(UnanswerableRequests, AboutSeveralCapabilities) {
  UnanswerableRequests asked;
  asked.add("sign", {"roots", kRoots});
  asked.add("sign", {"elicitation", kForm});
  EXPECT_EQ(asked.find("sign", kForm)->capability, "roots");
  EXPECT_EQ(asked.find("sign", kRoots)->capability, "elicitation");
  EXPECT_FALSE(asked.find("sign", kRoots | kForm));
}

TEST(UnanswerableRequests, AreBounded) {
  UnanswerableRequests asked;
  for (std::size_t i = 0; i <= UnanswerableRequests::kMost; ++i) {
    asked.add(fmt::format("tool{}", i), {"roots", kRoots});
  }
  EXPECT_TRUE(asked.find("tool0", 0));
  EXPECT_FALSE(asked.find(fmt::format("tool{}", UnanswerableRequests::kMost), 0));
}

}  // namespace
}  // namespace patchbay::upstreams
