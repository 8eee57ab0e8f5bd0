#include "skills/search_index.h"

#include <gtest/gtest.h>

#include <fstream>

namespace patchbay {
namespace {

namespace fs = std::filesystem;

class SearchIndexTest : public testing::Test {
 protected:
  SearchIndexTest() {
    const auto* const test = testing::UnitTest::GetInstance()->current_test_info();
    folder_ = fs::path(testing::TempDir()) / (std::string("search-") + test->name());
    fs::remove_all(folder_);
    fs::create_directories(folder_);
  }
  ~SearchIndexTest() override { fs::remove_all(folder_); }

  fs::path write(const std::string& name, std::string_view text) {
    const auto path = folder_ / name;
    std::ofstream(path, std::ios::binary) << text;
    return path;
  }

  static std::string names(SearchIndex& index, std::string_view query) {
    const auto hits = index.find(query, 10);
    if (!hits) return hits.error().message;
    std::string out;
    for (const auto& hit : *hits) out += fs::path(hit.path).filename().string() + "|";
    return out;
  }

  fs::path folder_;
};

TEST_F(SearchIndexTest, FindsFilesByTheirTerms) {
  SearchIndex index(10, 1000, 10'000);
  ASSERT_TRUE(index.opened());
  EXPECT_TRUE(index.take(write("bees", "Honey bees live in\nlarge colonies.")));
  EXPECT_TRUE(index.take(write("ants", "Ants live in colonies of many, many ants.")));
  EXPECT_TRUE(index.take(write("cafe", "Ein Café in der Nähe")));
  EXPECT_EQ(names(index, "honey"), "bees|");
  EXPECT_EQ(names(index, "COLONIES live ants"), "ants|");
  EXPECT_EQ(names(index, "honey unheard"), "bees|");
  EXPECT_EQ(names(index, "cafe"), "cafe|");
  EXPECT_EQ(names(index, "nothing"), "");
  EXPECT_EQ(names(index, "  "), "");
  EXPECT_EQ((*index.find("large", 1))[0].snippet, "Honey bees live in large colonies.");
}

TEST_F(SearchIndexTest, TakesNoTermAsAnOperator) {
  SearchIndex index(10, 1000, 10'000);
  ASSERT_TRUE(index.take(write("a", "one OR two")));
  for (const auto* query :
       {"\"", "one\" OR \"x", "path:a", "one*", "NEAR(", "-", "^one", "a AND"}) {
    EXPECT_TRUE(index.find(query, 5)) << query;
  }
}

TEST_F(SearchIndexTest, FollowsChanges) {
  SearchIndex index(10, 1000, 10'000);
  const auto path = write("a", "old words");
  ASSERT_TRUE(index.take(path));
  index.forget_missing();
  write("a", "new words");
  fs::last_write_time(path, fs::last_write_time(path) + std::chrono::seconds(2));
  ASSERT_TRUE(index.take(path));
  EXPECT_EQ(names(index, "old"), "");
  EXPECT_EQ(names(index, "new"), "a|");
  index.forget_missing();
  EXPECT_EQ(index.files(), 1U);
  index.forget_missing();
  EXPECT_EQ(index.files(), 0U);
  EXPECT_EQ(names(index, "new"), "");
}

TEST_F(SearchIndexTest, IsBounded) {
  SearchIndex index(2, 20, 30);
  EXPECT_FALSE(index.take(write("large", std::string(21, 'x'))));
  EXPECT_FALSE(index.take(write("binary", std::string_view("a\0b", 3))));
  EXPECT_FALSE(index.take(write("latin1", "caf\xE9")));
  EXPECT_FALSE(index.take(folder_ / "missing"));
  EXPECT_TRUE(index.take(write("first", std::string(20, 'a'))));
  EXPECT_FALSE(index.take(write("too much", std::string(11, 'b'))));
  EXPECT_TRUE(index.take(write("second", std::string(10, 'c'))));
  EXPECT_FALSE(index.take(write("third", "")));
  EXPECT_EQ(index.files(), 2U);
}

}  // namespace
}  // namespace patchbay
