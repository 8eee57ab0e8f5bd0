#include "core/glob.h"

#include <gtest/gtest.h>

#include <string>

namespace patchbay {
namespace {

TEST(Glob, FitsTheWholeText) {
  for (const auto* const glob :
       {"*", "read_file", "read_*", "*_file", "r*d*e", "????_file", "**"}) {
    EXPECT_TRUE(matches_glob(glob, "read_file")) << glob;
  }
  for (const auto* const glob : {"", "read", "file", "read_?", "*x*", "read_file?", "Read_file"}) {
    EXPECT_FALSE(matches_glob(glob, "read_file")) << glob;
  }
  EXPECT_TRUE(matches_glob("", ""));
  EXPECT_TRUE(matches_glob("*", ""));
  EXPECT_FALSE(matches_glob("?", ""));
}

TEST(Glob, TriesAStarAgainWhenTheRestDoesNotFit) {
  EXPECT_TRUE(matches_glob("*ab", "aab"));
  EXPECT_TRUE(matches_glob("a*b*c", "aXbXbXc"));
  EXPECT_FALSE(matches_glob("a*b*c", "aXbXbX"));
}

TEST(Glob, ManyStarsDoNotTakeForEver) {
  std::string glob;
  for (int i = 0; i < 50; ++i) glob += "*a";
  EXPECT_FALSE(matches_glob(glob + "b", std::string(5000, 'a')));
}

}  // namespace
}  // namespace patchbay
