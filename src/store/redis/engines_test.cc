// The same cases for every engine of the store. Several stores are open at the same time, as
// several processes have them.
#include <gtest/gtest.h>

#include <filesystem>

#include "core/ids.h"
#include "store/embedded_store.h"
#include "store/redis/redis_store.h"
#include "testing/fake_call.h"
#include "testing/manual_executor.h"
#include "testing/redis_server.h"

namespace patchbay::store {
namespace {

namespace fs = std::filesystem;
using std::chrono::hours;
using std::chrono::milliseconds;
using std::chrono::system_clock;

constexpr Table kTable{"table"};
constexpr Table kOther{"other"};

class Engine {
 public:
  virtual ~Engine() = default;
  virtual Result<std::unique_ptr<Store>> open(const policy::Keyring& keys) = 0;
};

class EmbeddedEngine final : public Engine {
 public:
  EmbeddedEngine() : folder_(fs::temp_directory_path() / ("store-" + random_hex(8))) {}
  ~EmbeddedEngine() override { fs::remove_all(folder_); }

  Result<std::unique_ptr<Store>> open(const policy::Keyring& keys) override {
    auto store = EmbeddedStore::open(folder_, keys);
    if (!store) return store.error();
    return std::unique_ptr<Store>(*std::move(store));
  }

 private:
  const fs::path folder_;
};

class RedisEngine final : public Engine {
 public:
  Result<std::unique_ptr<Store>> open(const policy::Keyring& keys) override {
    RedisSettings settings;
    settings.url = server_.url();
    auto store = RedisStore::open(settings, keys);
    if (!store) return store.error();
    return std::unique_ptr<Store>(*std::move(store));
  }

 private:
  testing::RedisServer server_;
};

class EngineTest : public ::testing::TestWithParam<const char*> {
 protected:
  void SetUp() override {
    const bool redis = GetParam() == std::string_view("redis");
    if (redis && !testing::RedisServer::program()) {
      GTEST_SKIP() << "there is no redis-server or valkey-server";
    }
    if (redis) {
      engine_ = std::make_unique<RedisEngine>();
    } else {
      engine_ = std::make_unique<EmbeddedEngine>();
    }
  }

  std::unique_ptr<Store> open() {
    auto opened = engine_->open(keys_);
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
  std::int64_t add(Store& store, std::string key, std::int64_t delta, Time expires = Time::max()) {
    auto total = wait(store.add(kTable, std::move(key), delta, expires, kNever));
    EXPECT_TRUE(total) << total.error().message;
    return total ? *total : -1;
  }

  policy::Keyring keys_{{std::string(32, 'k')}};
  testing::ManualExecutor executor_;
  std::unique_ptr<Engine> engine_;
};

INSTANTIATE_TEST_SUITE_P(Engines, EngineTest, ::testing::Values("embedded", "redis"),
                         [](const auto& info) { return std::string(info.param); });

TEST_P(EngineTest, EntriesOutliveTheStore) {
  {
    const auto store = open();
    EXPECT_TRUE(store->outlives_process());
    ASSERT_TRUE(put(*store, kTable, "a", "first"));
    ASSERT_TRUE(put(*store, kTable, "a", std::string("\0\r\n$1", 5)));
    ASSERT_TRUE(put(*store, kOther, "a", "of the other table"));
    ASSERT_TRUE(put(*store, kTable, "empty", ""));
  }
  const auto store = open();
  EXPECT_EQ(get(*store, kTable, "a"), std::string("\0\r\n$1", 5));
  EXPECT_EQ(get(*store, kOther, "a"), "of the other table");
  EXPECT_EQ(get(*store, kTable, "empty"), "");
  EXPECT_EQ(get(*store, kTable, "b"), "none");
}

TEST_P(EngineTest, VersionsGrowAndGuardChanges) {
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

TEST_P(EngineTest, WhatHasExpiredIsGone) {
  const auto store = open();
  const auto now = system_clock::now();
  ASSERT_TRUE(put(*store, kTable, "old", "x", now - hours(1)));
  ASSERT_TRUE(put(*store, kTable, "young", "x", now + hours(1)));
  EXPECT_EQ(get(*store, kTable, "old"), "none");
  EXPECT_EQ(get(*store, kTable, "young"), "x");
  EXPECT_EQ(wait(store->scan(kTable, "", 10, kNever))->size(), 1U);
  EXPECT_TRUE(*wait(store->put_if(kTable, {"old", "y"}, kAbsent, kNever)));
}

TEST_P(EngineTest, ScansInTheOrderOfKeys) {
  const auto store = open();
  for (const auto* const key : {"c", "a", "d", "b"}) ASSERT_TRUE(put(*store, kTable, key, key));
  ASSERT_TRUE(wait(store->erase(kTable, "b", kNever)));
  const auto found = wait(store->scan(kTable, "a", 2, kNever));
  ASSERT_TRUE(found);
  ASSERT_EQ(found->size(), 2U);
  EXPECT_EQ((*found)[0].key, "c");
  EXPECT_EQ((*found)[1].value, "d");
}

TEST_P(EngineTest, VersionsOfATableGrowInTheOrderOfItsChanges) {
  const auto store = open();
  const auto elsewhere = open();
  Version last = kAbsent;
  for (int i = 0; i < 100; ++i) {
    const auto version = put(i % 2 == 0 ? *store : *elsewhere, kTable, std::to_string(i % 7), "x");
    ASSERT_TRUE(version);
    EXPECT_GT(*version, last);
    last = *version;
  }
}

TEST_P(EngineTest, OfTwoChangesOfOneVersionOneIsMade) {
  const auto store = open();
  const auto elsewhere = open();
  ASSERT_TRUE(put(*store, kTable, "n", "0"));
  constexpr int kRounds = 100;
  for (int i = 0; i < kRounds; ++i) {
    const auto entry = wait(store->get(kTable, "n", kNever));
    ASSERT_TRUE(entry && *entry);
    const Item item{"n", std::to_string(std::stoi((*entry)->value) + 1)};
    testing::Outcome<std::optional<Version>> one;
    testing::Outcome<std::optional<Version>> other;
    one.start(store->put_if(kTable, item, (*entry)->version, kNever));
    other.start(elsewhere->put_if(kTable, item, (*entry)->version, kNever));
    while (!one.done() || !other.done()) executor_.run();
    ASSERT_TRUE(*one && *other);
    EXPECT_NE((*one)->has_value(), (*other)->has_value());
  }
  EXPECT_EQ(get(*elsewhere, kTable, "n"), std::to_string(kRounds));
}

TEST_P(EngineTest, ScansATableInPieces) {
  const auto store = open();
  constexpr int kEntries = 1'203;
  std::vector<std::unique_ptr<testing::Outcome<Version>>> outcomes;
  for (int i = 0; i < kEntries; ++i) {
    auto& one = *outcomes.emplace_back(std::make_unique<testing::Outcome<Version>>());
    one.start(store->put(kTable, {fmt::format("{:05}", i), std::to_string(i)}, kNever));
  }
  std::string after;
  int next = 0;
  for (;;) {
    const auto found = wait(store->scan(kTable, after, 700, kNever));
    ASSERT_TRUE(found);
    if (found->empty()) break;
    for (const auto& entry : *found) EXPECT_EQ(entry.value, std::to_string(next++));
    after = found->back().key;
  }
  EXPECT_EQ(next, kEntries);
}

TEST_P(EngineTest, CountersAddUpOverAllProcesses) {
  const auto store = open();
  const auto elsewhere = open();
  EXPECT_EQ(add(*store, "n", 3), 3);
  EXPECT_EQ(add(*elsewhere, "n", 4), 7);
  EXPECT_EQ(add(*store, "n", -7), 0);
  EXPECT_EQ(add(*store, "other", 1), 1);
  EXPECT_EQ(get(*store, kTable, "n"), "none") << "counters are no entries";
  EXPECT_TRUE(wait(store->scan(kTable, "", 10, kNever))->empty());
}

TEST_P(EngineTest, ACounterExpiresAtTheTimeOfItsBeginning) {
  const auto store = open();
  const auto now = system_clock::now();
  EXPECT_EQ(add(*store, "long", 1, now + hours(1)), 1);
  EXPECT_EQ(add(*store, "long", 1, now - hours(1)), 2) << "its time was set when it began";
  EXPECT_EQ(add(*store, "short", 5, now + milliseconds(20)), 5);
  while (add(*store, "short", 0, now + hours(1)) != 0) {
  }
  EXPECT_GT(system_clock::now(), now + milliseconds(19));
  EXPECT_EQ(add(*store, "short", 2, now), 2) << "the new one has begun with the last call";
  EXPECT_EQ(add(*store, "short", 2, now), 4);
}

TEST_P(EngineTest, APointInTimeIsMovedByAllAndPasses) {
  using std::chrono::microseconds;
  const auto store = open();
  const auto elsewhere = open();
  const auto move = [&](Store& from, microseconds by) {
    auto ahead = wait(from.advance(kTable, "p", by, kNever));
    EXPECT_TRUE(ahead) << ahead.error().message;
    return ahead ? *ahead : microseconds(-1);
  };
  const microseconds hour = hours(1);
  EXPECT_EQ(move(*store, milliseconds(1)), milliseconds(1));
  while (move(*store, microseconds(0)) > microseconds(0)) {
  }
  EXPECT_EQ(move(*elsewhere, hour), hour) << "it had passed, so it is moved from now";
  const auto begun = system_clock::now();
  const auto ahead = move(*store, hour);
  EXPECT_LE(ahead, 2 * hour);
  EXPECT_GE(ahead, 2 * hour - milliseconds(5'000));
  EXPECT_LT(move(*store, microseconds(0)), 2 * hour);
  EXPECT_GE(system_clock::now(), begun);
}

TEST_P(EngineTest, AnEntryThatCannotBeOpenedIsAnErrorAndNotAbsent) {
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

TEST_P(EngineTest, WatchersGetTheChangesOfTheirTableByEveryProcess) {
  const auto store = open();
  const auto elsewhere = open();  // As another process has it.
  ASSERT_TRUE(put(*elsewhere, kTable, "before", "x"));
  ASSERT_EQ(get(*store, kTable, "before"), "x");
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

TEST_P(EngineTest, WhatIsQueuedIsWrittenBeforeItCloses) {
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

TEST_P(EngineTest, ABoundOfTheQueueIsNamedWhenItIsMet) {
  const auto store = open();
  ASSERT_TRUE(put(*store, kTable, "a", "x"));
  store->set_bounds({.queue = 0});
  const auto busy = put(*store, kTable, "c", "x");
  ASSERT_FALSE(busy);
  EXPECT_EQ(busy.error().code, Code::overloaded);
  EXPECT_NE(busy.error().message.find("cluster.max_store_queue"), std::string::npos);
  EXPECT_GT(store->status().failures, 0U);
}

}  // namespace
}  // namespace patchbay::store
