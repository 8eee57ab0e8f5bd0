#include "core/sqlite.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>

namespace patchbay::sqlite {
namespace {

class FormatTest : public ::testing::Test {
 protected:
  FormatTest() {
    std::string name = "/tmp/patchbay-sqlite-XXXXXX";
    folder_ = ::mkdtemp(name.data());
  }
  ~FormatTest() override { std::filesystem::remove_all(folder_); }

  std::string path() const { return folder_ + "/file.db"; }

 private:
  std::string folder_;
};

TEST_F(FormatTest, AFileOfALaterVersionIsRefusedAndNotChanged) {
  {
    auto later = Database::open(path());
    ASSERT_TRUE(later);
    ASSERT_TRUE(later->run("CREATE TABLE t (a)"));
    ASSERT_TRUE(later->set_format(2));
  }
  const auto refused = Database::open_format(path(), 1);
  ASSERT_FALSE(refused);
  EXPECT_NE(refused.error().message.find(path()), std::string::npos);
  EXPECT_NE(refused.error().message.find("format 2"), std::string::npos);
  EXPECT_TRUE(Database::open_format(path(), 2));
}

TEST_F(FormatTest, AFileOfAnEarlierVersionIsOpened) {
  ASSERT_TRUE(Database::open(path())->run("CREATE TABLE t (a)"));
  auto earlier = Database::open_format(path(), 1);
  ASSERT_TRUE(earlier);
  ASSERT_TRUE(earlier->set_format(1));
  EXPECT_TRUE(Database::open_format(path(), 1));
  EXPECT_FALSE(Database::open_format(path(), 0));
}

}  // namespace
}  // namespace patchbay::sqlite
