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

class StoreTest : public ::testing::Test {
 protected:
  StoreTest() : folder_(fs::temp_directory_path() / ("store-" + random_hex(8))) {}
  ~StoreTest() override { fs::remove_all(folder_); }

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

TEST_F(StoreTest, EntriesOutliveTheProcessAndAreSealed) {
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

TEST_F(StoreTest, WithoutAFolderNothingOutlivesTheProcess) {
  auto store = EmbeddedStore::open("", keys_);
  ASSERT_TRUE(store);
  EXPECT_FALSE((*store)->outlives_process());
  ASSERT_TRUE(put(**store, kTable, "a", "value"));
  EXPECT_EQ(get(**store, kTable, "a"), "value");
}

TEST_F(StoreTest, VersionsGrowAndGuardChanges) {
  const auto store = open();
  const auto put_if = [&](std::string value, Version expected) {
    return *wait(store->put_if(kTable, {"a", std::move(value)}, expected, kNever));
  };
  const auto first = put_if("1", kAbsent);
  ASSERT_TRUE(first);
  EXPECT_FALSE(put_if("2", kAbsent)) << "there is one";
  const auto second = put_if("2", *first);
  ASSERT_TRUE(second);
  EXPECT_GT(*second, *first);
  EXPECT_FALSE(put_if("3", *first)) << "it has changed";
  EXPECT_EQ(get(*store, kTable, "a"), "2");
  ASSERT_TRUE(wait(store->erase(kTable, "a", kNever)));
  EXPECT_EQ(get(*store, kTable, "a"), "none");
  EXPECT_FALSE(put_if("4", *second));
  EXPECT_TRUE(put_if("4", kAbsent));
}

TEST_F(StoreTest, WhatHasExpiredIsGone) {
  const auto store = open();
  const auto now = system_clock::now();
  ASSERT_TRUE(put(*store, kTable, "old", "x", now - hours(1)));
  ASSERT_TRUE(put(*store, kTable, "young", "x", now + hours(1)));
  EXPECT_EQ(get(*store, kTable, "old"), "none");
  EXPECT_EQ(get(*store, kTable, "young"), "x");
  EXPECT_EQ(wait(store->scan(kTable, "", 10, kNever))->size(), 1U);
  EXPECT_TRUE(*wait(store->put_if(kTable, {"old", "y"}, kAbsent, kNever)));
}

TEST_F(StoreTest, ScansInTheOrderOfKeys) {
  const auto store = open();
  for (const auto* const key : {"c", "a", "d", "b"}) ASSERT_TRUE(put(*store, kTable, key, key));
  ASSERT_TRUE(wait(store->erase(kTable, "b", kNever)));
  const auto found = wait(store->scan(kTable, "a", 2, kNever));
  ASSERT_TRUE(found);
  ASSERT_EQ(found->size(), 2U);
  EXPECT_EQ((*found)[0].key, "c");
  EXPECT_EQ((*found)[1].value, "d");
}

TEST_F(StoreTest, BoundsAreNamedWhenTheyAreMet) {
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

TEST_F(StoreTest, AnEntryThatCannotBeOpenedIsAnErrorAndNotAbsent) {
  {
    const auto store = open();
    ASSERT_TRUE(put(*store, kTable, "a", "value"));
  }
  keys_.use({std::string(32, 'n'), std::string(32, 'k')});
  {
    const auto store = open();
    EXPECT_EQ(get(*store, kTable, "a"), "value") << "an earlier key still opens";
  }
  keys_.use({std::string(32, 'n')});
  const auto store = open();
  EXPECT_NE(get(*store, kTable, "a").find("cannot be opened"), std::string::npos);
  EXPECT_TRUE(wait(store->scan(kTable, "", 10, kNever))->empty());
}

TEST_F(StoreTest, AnEntryThatWasMovedDoesNotOpen) {
  {
    const auto store = open();
    ASSERT_TRUE(put(*store, kTable, "a", "value"));
  }
  auto database = sqlite::Database::open(EmbeddedStore::file_in(folder_));
  ASSERT_TRUE(database->run("UPDATE entries SET key = 'b'"));
  EXPECT_NE(get(*open(), kTable, "b").find("cannot be opened"), std::string::npos);
}

TEST_F(StoreTest, AFileOfALaterVersionIsRefused) {
  ASSERT_TRUE(open());
  ASSERT_TRUE(sqlite::Database::open(EmbeddedStore::file_in(folder_))->set_format(99));
  const auto refused = EmbeddedStore::open(folder_, keys_);
  ASSERT_FALSE(refused);
  EXPECT_NE(refused.error().message.find("later version of Patchbay"), std::string::npos);
}

TEST_F(StoreTest, WatchersGetTheChangesOfTheirTableByEveryProcess) {
  const auto store = open();
  const auto elsewhere = open();  // As another process has it.
  ASSERT_TRUE(put(*store, kTable, "before", "x"));
  std::vector<std::string> seen;
  auto watch = store->watch(kTable, executor_, [&](const Change& change) {
    seen.push_back(change.key + "=" + change.value.value_or("erased"));
  });
  ASSERT_TRUE(put(*store, kTable, "a", "1"));
  ASSERT_TRUE(put(*store, kOther, "b", "2"));
  while (seen.empty()) executor_.run();
  ASSERT_TRUE(put(*elsewhere, kTable, "c", "3"));
  while (seen.size() < 2) executor_.run();
  ASSERT_TRUE(wait(elsewhere->erase(kTable, "a", kNever)));
  while (seen.size() < 3) executor_.run();
  EXPECT_EQ(seen, (std::vector<std::string>{"a=1", "c=3", "a=erased"}));
  watch.reset();
  ASSERT_TRUE(put(*store, kTable, "d", "4"));
  executor_.run();
  EXPECT_EQ(seen.size(), 3U);
}

TEST_F(StoreTest, WhatIsQueuedIsWrittenBeforeItCloses) {
  std::vector<std::unique_ptr<testing::Outcome<Version>>> outcomes;
  {
    const auto store = open();
    for (int i = 0; i < 5'000; ++i) {
      auto& one = *outcomes.emplace_back(std::make_unique<testing::Outcome<Version>>());
      one.start(store->put(kTable, {std::to_string(i), "x"}, kNever));
    }
    store->close();
    EXPECT_FALSE(put(*store, kTable, "late", "x"));
    executor_.run();
    for (const auto& one : outcomes) EXPECT_TRUE(one->done());
  }
  EXPECT_EQ(wait(open()->scan(kTable, "", 10'000, kNever))->size(), 5'000U);
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
