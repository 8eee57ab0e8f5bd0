#include "store/redis/redis_store.h"

#include <gtest/gtest.h>

#include "testing/fake_call.h"
#include "testing/manual_executor.h"
#include "testing/redis_server.h"

namespace patchbay::store {
namespace {

using std::chrono::milliseconds;
using std::chrono::system_clock;

constexpr Table kSessions{"table"};

class RedisStoreTest : public ::testing::Test {
 protected:
  void SetUp() override {
    if (!testing::RedisServer::program()) {
      GTEST_SKIP() << "there is no redis-server or valkey-server";
    }
    server_.emplace();
    settings_.url = server_->url();
  }

  std::unique_ptr<RedisStore> open() {
    auto opened = RedisStore::open(settings_, keys_);
    EXPECT_TRUE(opened) << opened.error().message;
    return opened ? *std::move(opened) : nullptr;
  }

  template <class T>
  Result<T> wait(Task<T> task) {
    testing::Outcome<T> outcome;
    outcome.start(std::move(task));
    while (!outcome.done()) executor_.run();
    return *outcome;
  }

  Result<Version> put(Store& store, std::string key, std::string value,
                      Time expires = Time::max()) {
    return wait(store.put(kSessions, {std::move(key), std::move(value), expires}, kNever));
  }
  std::string get(Store& store, std::string key) {
    auto entry = wait(store.get(kSessions, std::move(key), kNever));
    if (!entry) return "error: " + entry.error().message;
    return *entry ? (*entry)->value : "none";
  }

  std::optional<testing::RedisServer> server_;
  RedisSettings settings_;
  policy::Keyring keys_{{std::string(32, 'k')}};
  testing::ManualExecutor executor_;
};

TEST_F(RedisStoreTest, ValuesAreSealedBeforeTheyLeaveTheProcess) {
  const auto store = open();
  ASSERT_TRUE(put(*store, "a", "a secret value"));
  const auto stored = server_->command("GET patchbay:table:e:a");
  EXPECT_GT(stored.size(), 30U);
  EXPECT_EQ(stored.find("secret"), std::string::npos);
  // The same value below another key.
  const auto value = stored.substr(stored.find("\r\n") + 2);
  ASSERT_EQ(server_->command("SET patchbay:table:e:b " + value), "+OK\r\n");
  EXPECT_NE(get(*store, "b").find("cannot be opened"), std::string::npos);
}

TEST_F(RedisStoreTest, TwoPrefixesAreTwoStores) {
  const auto store = open();
  settings_.prefix = "other";
  const auto other = open();
  ASSERT_TRUE(put(*store, "a", "x"));
  EXPECT_EQ(get(*other, "a"), "none");
}

TEST_F(RedisStoreTest, ScriptsThatTheServerHasForgottenAreSentAgain) {
  const auto store = open();
  ASSERT_TRUE(put(*store, "a", "1"));
  ASSERT_EQ(server_->command("SCRIPT FLUSH"), "+OK\r\n");
  ASSERT_TRUE(put(*store, "a", "2"));
  EXPECT_EQ(get(*store, "a"), "2");
}

TEST_F(RedisStoreTest, AServerThatIsNotThereIsNamedAndFoundWhenItComesBack) {
  server_->stop();
  const auto store = open();
  const auto refused = put(*store, "a", "1");
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, Code::unavailable);
  EXPECT_NE(refused.error().message.find("cluster.redis.url"), std::string::npos);
  EXPECT_FALSE(store->status().connected);
  EXPECT_EQ(store->status().problem, refused.error().message);
  for (int round = 0; round < 2; ++round) {
    server_->start();
    while (!store->status().connected) std::this_thread::yield();
    EXPECT_TRUE(put(*store, "a", "1"));
    EXPECT_EQ(store->status().problem, "");
    server_->stop();
    while (put(*store, "a", "2")) {
    }
  }
}

TEST_F(RedisStoreTest, AConnectionThatWasLostIsMadeAnewAndRequestsWaitForIt) {
  const auto store = open();
  ASSERT_TRUE(put(*store, "a", "1"));
  ASSERT_EQ(server_->command("CLIENT KILL TYPE normal").front(), ':');
  Result<Version> done = put(*store, "a", "2");
  if (!done) done = put(*store, "a", "2");  // It was sent before the loss was noticed.
  EXPECT_TRUE(done) << done.error().message;
}

TEST_F(RedisStoreTest, AChangeThatIsNotAnsweredMayHaveBeenMade) {
  settings_.request_timeout = config::Duration(200);
  const auto store = open();
  ASSERT_TRUE(put(*store, "a", "1"));
  ASSERT_EQ(server_->command("CLIENT PAUSE 60000 WRITE"), "+OK\r\n");
  const auto unknown = put(*store, "a", "2");
  ASSERT_FALSE(unknown);
  EXPECT_NE(unknown.error().message.find("may have been made"), std::string::npos);
  EXPECT_NE(unknown.error().message.find("cluster.redis.request_timeout"), std::string::npos);
  ASSERT_EQ(server_->command("CLIENT UNPAUSE"), "+OK\r\n");
  while (!put(*store, "a", "3")) {
  }
  EXPECT_EQ(get(*store, "a"), "3");
}

TEST_F(RedisStoreTest, WatchersMissNothingWhileTheConnectionIsLost) {
  const auto store = open();
  const auto elsewhere = open();
  std::map<std::string, std::string> seen;
  const auto watch = store->watch(kSessions, executor_, [&](const Change& change) {
    seen[change.key] = change.value.value_or("erased");
  });
  ASSERT_EQ(get(*store, "a"), "none");
  constexpr int kRounds = 20;
  for (int i = 0; i < kRounds; ++i) {
    ASSERT_EQ(server_->command("CLIENT KILL TYPE pubsub").front(), ':');
    ASSERT_TRUE(put(*elsewhere, std::to_string(i), "x"));
    ASSERT_TRUE(put(*elsewhere, "last", std::to_string(i)));
    ASSERT_TRUE(wait(elsewhere->erase(kSessions, std::to_string(i - 1), kNever)));
    while (seen["last"] != std::to_string(i)) executor_.run();
  }
  EXPECT_EQ(seen.size(), kRounds + 1U);
  while (seen[std::to_string(kRounds - 2)] != "erased") executor_.run();
  for (int i = 0; i + 1 < kRounds; ++i) EXPECT_EQ(seen[std::to_string(i)], "erased") << i;
}

TEST_F(RedisStoreTest, ManyChangesAreReadInPieces) {
  const auto store = open();
  const auto elsewhere = open();
  ASSERT_EQ(get(*store, "a"), "none");
  std::size_t seen = 0;
  const auto watch = store->watch(kSessions, executor_, [&](const Change&) { ++seen; });
  ASSERT_EQ(get(*store, "a"), "none");
  ASSERT_EQ(server_->command("CLIENT PAUSE 60000 WRITE"), "+OK\r\n");
  std::vector<std::unique_ptr<testing::Outcome<Version>>> outcomes;
  for (int i = 0; i < 1'300; ++i) {
    auto& one = *outcomes.emplace_back(std::make_unique<testing::Outcome<Version>>());
    one.start(elsewhere->put(kSessions, {std::to_string(i), "x"}, kNever));
  }
  ASSERT_EQ(server_->command("CLIENT UNPAUSE"), "+OK\r\n");
  for (const auto& one : outcomes) {
    while (!one->done()) executor_.run();
  }
  while (seen < outcomes.size()) executor_.run();
  EXPECT_EQ(seen, outcomes.size());
}

TEST_F(RedisStoreTest, KeysOfExpiredEntriesAreForgotten) {
  const auto store = open();
  for (int i = 0; i < 100; ++i) {
    ASSERT_TRUE(put(*store, std::to_string(i), "x", system_clock::now() + milliseconds(1)));
  }
  for (const auto* const key : {"i", "c", "x"}) {
    const std::string count = std::string("ZCARD patchbay:table:") + key;
    while (server_->command(count) != (*key == 'x' ? ":0\r\n" : ":1\r\n")) {
      ASSERT_TRUE(put(*store, "one more", "x"));
    }
  }
  EXPECT_EQ(wait(store->scan(kSessions, "", 10, kNever))->size(), 1U);
}

TEST_F(RedisStoreTest, AFullServerIsNamed) {
  const auto store = open();
  ASSERT_TRUE(put(*store, "a", "1"));
  ASSERT_EQ(server_->command("CONFIG SET maxmemory 1"), "+OK\r\n");
  const auto full = put(*store, "a", "2");
  ASSERT_FALSE(full);
  EXPECT_EQ(full.error().code, Code::overloaded);
  EXPECT_NE(full.error().message.find("maxmemory"), std::string::npos);
  EXPECT_EQ(get(*store, "a"), "1");
  EXPECT_TRUE(wait(store->erase(kSessions, "a", kNever))) << "that makes room";
}

TEST_F(RedisStoreTest, AuthenticatesAndReportsARefusal) {
  ASSERT_EQ(
      server_->command("ACL SETUSER gate on >p%40ss ~patchbay:* &patchbay:* +@all -@dangerous"),
      "+OK\r\n");
  ASSERT_EQ(server_->command("CONFIG SET requirepass secret"), "+OK\r\n");
  const auto url = server_->url().substr(8);
  const auto problem = [&](const std::string& user) {
    settings_.url = "redis://" + user + url + "/3";
    const auto store = open();
    const auto done = put(*store, "a", "1");
    EXPECT_EQ(done ? "" : done.error().message, store->status().problem);
    EXPECT_EQ(store->status().problem.find("secret"), std::string::npos);
    return store->status().problem;
  };
  EXPECT_EQ(problem(":secret@"), "");
  EXPECT_EQ(problem("gate:p%2540ss@"), "");
  EXPECT_NE(problem("").find("NOAUTH"), std::string::npos);
  EXPECT_NE(problem("gate:secret@").find("WRONGPASS"), std::string::npos);
}

}  // namespace
}  // namespace patchbay::store
