#include "core/release.h"

#include <gtest/gtest.h>

namespace patchbay {
namespace {

TEST(Release, FreesTheMemory) {
  std::string text(1 << 20, 'x');
  release(text);
  EXPECT_TRUE(text.empty());
  EXPECT_EQ(text.capacity(), std::string().capacity());
}

TEST(Release, KeepsWhatIsSmall) {
  std::string text(1000, 'x');
  release_beyond(text, 2000);
  EXPECT_TRUE(text.empty());
  EXPECT_GE(text.capacity(), 1000U);
  text.assign(3000, 'x');
  release_beyond(text, 2000);
  EXPECT_EQ(text.capacity(), std::string().capacity());
}

}  // namespace
}  // namespace patchbay
