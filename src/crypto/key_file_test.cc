#include "crypto/key_file.h"

#include <gtest/gtest.h>
#include <sys/stat.h>

#include <filesystem>

#include "core/ids.h"

namespace patchbay::policy {
namespace {

namespace fs = std::filesystem;

class KeyFileTest : public testing::Test {
 protected:
  KeyFileTest() : folder_(fs::temp_directory_path() / ("keys-" + random_hex(8))) {
    fs::create_directories(folder_);
  }
  ~KeyFileTest() override { fs::remove_all(folder_); }

  const fs::path folder_;
};

TEST_F(KeyFileTest, TheKeyIsMadeOnceForItsOwnerAlone) {
  const auto first = key_in(folder_);
  ASSERT_TRUE(first) << first.error().message;
  EXPECT_EQ(*key_in(folder_), *first);
  const std::string file = folder_ / "tokens.key";
  struct stat about{};
  ASSERT_EQ(::stat(file.c_str(), &about), 0);
  EXPECT_EQ(about.st_mode & 0777, 0600U);
  ::chmod(file.c_str(), 0640);
  const auto refused = key_in(folder_);
  ASSERT_FALSE(refused);
  EXPECT_NE(refused.error().message.find("chmod 600"), std::string::npos);
}

TEST(KeyText, IsThirtyTwoBytes) {
  EXPECT_TRUE(parse_key("AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA\n"));
  EXPECT_FALSE(parse_key("AAAA"));
  EXPECT_FALSE(parse_key("a password"));
  EXPECT_FALSE(parse_key(""));
}

}  // namespace
}  // namespace patchbay::policy
