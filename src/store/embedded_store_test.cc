#include "store/embedded_store.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <iterator>

#include "core/ids.h"
#include "testing/fake_call.h"
#include "testing/manual_executor.h"

namespace patchbay::store {
namespace {

namespace fs = std::filesystem;
using std::chrono::hours;
using std::chrono::system_clock;

constexpr Table kTable{"table"};
constexpr Table kOther{"other"};

class EmbeddedStoreTest : public ::testing::Test {
 protected:
  EmbeddedStoreTest() : folder_(fs::temp_directory_path() / ("store-" + random_hex(8))) {}
  ~EmbeddedStoreTest() override { fs::remove_all(folder_); }

  std::unique_ptr<EmbeddedStore> open() {
    auto opened = EmbeddedStore::open(folder_, keys_);
    EXPECT_TRUE(opened) << opened.error().message;
    return opened ? *std::move(opened) : nullptr;
  }

  // Runs the executor until the task is done; the store has a thread of its own.
  template <class T>
  Result<T> wait(Task<T> task) {
    testing::Outcome<T> outcome;
    outcome.start(std::move(task));
    while (!outcome.done()) executor_.run();
    return *outcome;
  }

  Result<Version> put(Store& store, const Table& table, std::string key, std::string value,
                      Time expires = Time::max()) {
    return wait(store.put(table, {std::move(key), std::move(value), expires}, kNever));
  }
  std::string get(Store& store, const Table& table, std::string key) {
    auto entry = wait(store.get(table, std::move(key), kNever));
    if (!entry) return "error: " + entry.error().message;
    return *entry ? (*entry)->value : "none";
  }

  std::string bytes_on_disk() const {
    std::string all;
    for (const auto& entry : fs::directory_iterator(folder_)) {
      std::ifstream file(entry.path(), std::ios::binary);
      all.append(std::istreambuf_iterator<char>(file), {});
    }
    return all;
  }

  const fs::path folder_;
  policy::Keyring keys_{{std::string(32, 'k')}};
  testing::ManualExecutor executor_;
};

TEST_F(EmbeddedStoreTest, EntriesOutliveTheProcessAndAreSealed) {
  {
    const auto store = open();
    EXPECT_TRUE(store->outlives_process());
    ASSERT_TRUE(put(*store, kTable, "a", "a secret value"));
    ASSERT_TRUE(put(*store, kTable, "a", "another secret value"));
    ASSERT_TRUE(put(*store, kOther, "a", "of the other table"));
  }
  EXPECT_EQ(bytes_on_disk().find("secret value"), std::string::npos);
  const auto store = open();
  EXPECT_EQ(get(*store, kTable, "a"), "another secret value");
  EXPECT_EQ(get(*store, kOther, "a"), "of the other table");
  EXPECT_EQ(get(*store, kTable, "b"), "none");
}

TEST_F(EmbeddedStoreTest, WithoutAFolderNothingOutlivesTheProcess) {
  auto store = EmbeddedStore::open("", keys_);
  ASSERT_TRUE(store);
  EXPECT_FALSE((*store)->outlives_process());
  ASSERT_TRUE(put(**store, kTable, "a", "value"));
  EXPECT_EQ(get(**store, kTable, "a"), "value");
}

TEST_F(EmbeddedStoreTest, BoundsAreNamedWhenTheyAreMet) {
  const auto store = open();
  store->set_bounds({.queue = 100, .size = 100'000});
  ASSERT_TRUE(put(*store, kTable, "a", std::string(10'000, 'x')));
  const auto full = put(*store, kTable, "b", std::string(100'000, 'x'));
  ASSERT_FALSE(full);
  EXPECT_EQ(full.error().code, Code::overloaded);
  EXPECT_NE(full.error().message.find("cluster.max_store_size"), std::string::npos);
  EXPECT_EQ(get(*store, kTable, "b"), "none");
  store->set_bounds({.queue = 0, .size = 100'000});
  const auto busy = put(*store, kTable, "c", "x");
  ASSERT_FALSE(busy);
  EXPECT_NE(busy.error().message.find("cluster.max_store_queue"), std::string::npos);
}

TEST_F(EmbeddedStoreTest, AnEntryThatWasMovedDoesNotOpen) {
  {
    const auto store = open();
    ASSERT_TRUE(put(*store, kTable, "a", "value"));
  }
  auto database = sqlite::Database::open(EmbeddedStore::file_in(folder_));
  ASSERT_TRUE(database->run("UPDATE entries SET key = 'b'"));
  EXPECT_NE(get(*open(), kTable, "b").find("cannot be opened"), std::string::npos);
}

TEST_F(EmbeddedStoreTest, AFileOfALaterVersionIsRefused) {
  ASSERT_TRUE(open());
  ASSERT_TRUE(sqlite::Database::open(EmbeddedStore::file_in(folder_))->set_format(99));
  const auto refused = EmbeddedStore::open(folder_, keys_);
  ASSERT_FALSE(refused);
  EXPECT_NE(refused.error().message.find("later version of Patchbay"), std::string::npos);
}

TEST(EmbeddedTables, RemovesWhatHasExpiredInBatches) {
  const policy::Keyring keys({std::string(32, 'k')});
  auto tables = EmbeddedTables::open(":memory:", keys);
  ASSERT_TRUE(tables);
  const auto now = system_clock::now();
  for (int i = 0; i < 10; ++i) {
    ASSERT_TRUE(tables->put("t", {std::to_string(i), "x", now - hours(1)}));
  }
  ASSERT_TRUE(tables->put("t", {"stays", "x", now + hours(1)}));
  ASSERT_TRUE(tables->erase("t", "stays", now));
  EXPECT_EQ(*tables->purge(now, 4), 4U);
  EXPECT_EQ(*tables->purge(now, 100), 6U);
  EXPECT_EQ(*tables->purge(now, 100), 0U);
  EXPECT_EQ(*tables->purge(now + hours(1), 100), 1U) << "an erased entry is remembered for a while";
}

TEST(EmbeddedTables, VersionsNeverGoBack) {
  const policy::Keyring keys({std::string(32, 'k')});
  auto tables = EmbeddedTables::open(":memory:", keys);
  const auto now = system_clock::now();
  const auto first = tables->put("t", {"a", "x", now - hours(1)});
  ASSERT_EQ(*tables->purge(now, 100), 1U);
  EXPECT_GT(*tables->put("t", {"a", "x"}), *first);
}

}  // namespace
}  // namespace patchbay::store
