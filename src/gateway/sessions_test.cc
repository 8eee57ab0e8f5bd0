// Sessions of one process and the next: which are restored, where, and what becomes of two requests
// at once.
#include "gateway/sessions.h"

#include <gtest/gtest.h>

#include <filesystem>

#include "core/ids.h"
#include "store/embedded_store.h"
#include "testing/fake_call.h"
#include "testing/manual_executor.h"

namespace patchbay::gateway {
namespace {

namespace fs = std::filesystem;
using SessionPtr = std::shared_ptr<Session>;

// A process with two workers, which share the executor of the test.
struct Process {
  Process(const policy::Keyring& keys, store::Store& store, Executor& executor)
      : members(store), directory(keys, store, members) {
    directory.workers = {&first, &second};
    directory.executors = {&executor, &executor};
    directory.max_age = 3'600'000;
    for (auto* const one : directory.workers) {
      one->on_restore([this](const SessionPtr&, const std::string&, std::vector<std::string> uris) {
        ++restored;
        subscribed = std::move(uris);
      });
    }
  }

  cluster::Members members;
  Sessions::Directory directory;
  EventStreams streams{0, {}};
  Sessions first{0, directory, streams};
  Sessions second{1, directory, streams};
  int restored = 0;
  std::vector<std::string> subscribed;
};

class SessionsTest : public ::testing::Test {
 protected:
  SessionsTest() : folder_(fs::temp_directory_path() / ("sessions-" + random_hex(8))) {
    store_ = *store::EmbeddedStore::open(folder_, keys_);
  }
  ~SessionsTest() override {
    store_.reset();
    fs::remove_all(folder_);
  }

  SessionVisitor visitor(const std::string& caller = "ann") {
    return {std::make_shared<const Principal>(Principal{caller}), "share", "1.2.3.4"};
  }

  SessionPtr create(Process& process) {
    auto made = process.first.create(
        {mcp::Revision::v2025_06_18, R"({"elicitation":{}})", "client 1"}, visitor());
    EXPECT_TRUE(made);
    return made ? *made : nullptr;
  }

  template <class T>
  void wait(testing::Outcome<T>& outcome) {
    while (!outcome.done()) executor_.run();
  }
  Result<SessionPtr> find(Sessions& sessions, const std::string& id,
                          const std::string& caller = "ann") {
    testing::Outcome<Sessions::Found> outcome;
    outcome.start(sessions.find(id, visitor(caller)));
    wait(outcome);
    if (!*outcome) return outcome->error();
    return (*outcome)->session;
  }
  // Until what was posted has been done and stored.
  void finish(Process& process) {
    for (int i = 0; i < 5; ++i) executor_.run();
    for (auto* const one : process.directory.workers) {
      testing::Outcome<void> stopped;
      stopped.start(one->stop());
      wait(stopped);
    }
  }
  Code code_of(const Result<SessionPtr>& found) {
    EXPECT_FALSE(found);
    return found ? Code::internal : found.error().code;
  }

  const fs::path folder_;
  policy::Keyring keys_{{std::string(32, 'k')}};
  testing::ManualExecutor executor_;
  std::unique_ptr<store::EmbeddedStore> store_;
};

TEST_F(SessionsTest, IsFoundOnEveryWorkerOfItsProcess) {
  Process process(keys_, *store_, executor_);
  const auto session = create(process);
  EXPECT_EQ(process.first.known(session->id, *session->owner), session);
  EXPECT_EQ(process.second.known(session->id, *session->owner), nullptr);
  EXPECT_EQ(*find(process.second, session->id), session);
  EXPECT_EQ(process.second.known(session->id, *session->owner), session);
  EXPECT_EQ(code_of(find(process.second, session->id, "bob")), Code::session_not_found);
  EXPECT_EQ(process.restored, 0);
  process.first.end(*session);
  finish(process);
  EXPECT_EQ(code_of(find(process.first, session->id)), Code::session_not_found);
  EXPECT_EQ(code_of(find(process.second, session->id)), Code::session_not_found);
}

TEST_F(SessionsTest, TheNextProcessRestoresItOnceWithWhatItsClientHasSet) {
  std::string id;
  {
    Process process(keys_, *store_, executor_);
    const auto session = create(process);
    id = session->id;
    session->log_level = 4;
    session->subscriber.add("test://a");
    process.second.save(session);
    finish(process);
  }
  Process next(keys_, *store_, executor_);
  testing::Outcome<Sessions::Found> one;
  testing::Outcome<Sessions::Found> other;
  one.start(next.first.find(id, visitor()));
  other.start(next.second.find(id, visitor()));
  wait(one);
  wait(other);
  ASSERT_TRUE(*one) << one->error().message;
  ASSERT_TRUE(*other);
  const SessionPtr session = (*one)->session;
  EXPECT_EQ(session, (*other)->session);
  EXPECT_EQ(next.restored, 1);
  EXPECT_EQ(next.directory.count, 1U);
  EXPECT_EQ(next.subscribed, std::vector<std::string>{"test://a"});
  EXPECT_EQ(session->revision, mcp::Revision::v2025_06_18);
  EXPECT_EQ(session->capabilities, R"({"elicitation":{}})");
  EXPECT_EQ(session->client_info, "client 1");
  EXPECT_EQ(session->wanted_level(), 4);
  finish(next);
}

TEST_F(SessionsTest, WhatHasEndedOrIsOfAnotherCallerIsNotRestored) {
  std::vector<std::string> ids;
  {
    Process process(keys_, *store_, executor_);
    for (int i = 0; i < 3; ++i) ids.push_back(create(process)->id);
    process.second.end(**find(process.second, ids[0]));
    const auto with_program = *find(process.second, ids[1]);
    with_program->has_private = true;
    process.second.save(with_program);
    finish(process);
  }
  Process next(keys_, *store_, executor_);
  for (const auto& id : {ids[0], ids[1]}) {
    EXPECT_EQ(code_of(find(next.first, id)), Code::session_not_found);
    EXPECT_EQ(code_of(find(next.second, id)), Code::session_not_found);
  }
  EXPECT_EQ(code_of(find(next.first, ids[2], "bob")), Code::session_not_found);
  EXPECT_EQ(next.directory.count, 0U);
  EXPECT_TRUE(find(next.first, ids[2]));
  finish(next);
}

TEST_F(SessionsTest, AnEndAfterTheRestoreLastsToo) {
  std::string id;
  {
    Process process(keys_, *store_, executor_);
    id = create(process)->id;
  }
  {
    Process next(keys_, *store_, executor_);
    const auto session = *find(next.first, id);
    next.second.end(*session);
    // A change of the client that was on its way does not undo it.
    next.first.save(session);
    EXPECT_EQ(code_of(find(next.second, id)), Code::session_not_found);
    finish(next);
    EXPECT_EQ(next.directory.count, 0U);
  }
  Process last(keys_, *store_, executor_);
  EXPECT_EQ(code_of(find(last.first, id)), Code::session_not_found);
}

TEST_F(SessionsTest, AnEndThatCannotBeStoredHoldsInItsProcess) {
  std::string id;
  {
    Process process(keys_, *store_, executor_);
    id = create(process)->id;
  }
  Process next(keys_, *store_, executor_);
  const auto session = *find(next.first, id);
  store_->set_bounds({.queue = 0});
  next.first.end(*session);
  for (int i = 0; i < 5; ++i) executor_.run();
  store_->set_bounds({});
  EXPECT_EQ(code_of(find(next.first, id)), Code::session_not_found);
  finish(next);
}

TEST_F(SessionsTest, AStoreThatIsBusyIsNoEnd) {
  std::string id;
  {
    Process process(keys_, *store_, executor_);
    id = create(process)->id;
  }
  Process next(keys_, *store_, executor_);
  store_->set_bounds({.queue = 0});
  EXPECT_EQ(code_of(find(next.first, id)), Code::overloaded);
  store_->set_bounds({});
  EXPECT_TRUE(find(next.first, id));
  finish(next);
}

TEST_F(SessionsTest, AgeAndNumberAreBounded) {
  std::vector<std::string> ids;
  {
    Process process(keys_, *store_, executor_);
    for (int i = 0; i < 2; ++i) ids.push_back(create(process)->id);
  }
  Process next(keys_, *store_, executor_);
  next.directory.most = 1;
  EXPECT_TRUE(find(next.first, ids[0]));
  EXPECT_EQ(code_of(find(next.second, ids[1])), Code::overloaded);
  next.directory.max_age = 0;
  EXPECT_EQ(code_of(find(next.first, ids[1])), Code::session_not_found);
  EXPECT_TRUE(find(next.second, ids[0])) << "it is known";
  finish(next);
}

TEST_F(SessionsTest, WithoutAStoreThatLastsNothingIsRestored) {
  auto passing = *store::EmbeddedStore::open("", keys_);
  std::string id;
  {
    Process process(keys_, *passing, executor_);
    id = create(process)->id;
  }
  Process next(keys_, *passing, executor_);
  EXPECT_EQ(code_of(find(next.first, id)), Code::session_not_found);
}

TEST_F(SessionsTest, WhileOneProcessReplacesAnotherEitherEndsIt) {
  Process process(keys_, *store_, executor_);
  const auto one = create(process);
  const auto two = create(process);
  process.first.hand_over();
  Process next(keys_, *store_, executor_);
  next.first.end(**find(next.first, one->id));
  while (!one->ended) executor_.run();
  EXPECT_EQ(code_of(find(process.second, one->id)), Code::session_not_found);
  const auto again = *find(next.second, two->id);
  process.second.end(*two);
  while (!again->ended) executor_.run();
  EXPECT_EQ(code_of(find(next.first, two->id)), Code::session_not_found);
  finish(process);
  finish(next);
}

TEST_F(SessionsTest, AfterTheHandOverIdleSessionsDoNotEnd) {
  Process process(keys_, *store_, executor_);
  const auto session = create(process);
  const auto later = executor_.now() + std::chrono::hours(1);
  process.first.hand_over();
  process.first.sweep(later);
  EXPECT_FALSE(session->ended);
  Process next(keys_, *store_, executor_);
  EXPECT_TRUE(find(next.first, session->id));
  finish(process);
  finish(next);
}

TEST(SessionRecord, IsReadAsItWasWritten) {
  const SessionRecord record{.run = 0xfedcba9876543210ULL,
                             .ended = true,
                             .has_private = true,
                             .log_level = 7,
                             .uris = {"test://a", "test://\"b\""}};
  const SessionRecord read = session_record(text_of(record));
  EXPECT_EQ(read.run, record.run);
  EXPECT_TRUE(read.ended);
  EXPECT_TRUE(read.has_private);
  EXPECT_EQ(read.log_level, 7);
  EXPECT_EQ(read.uris, record.uris);
  EXPECT_FALSE(session_record(text_of({})).ended);
  EXPECT_EQ(session_record(text_of({})).log_level, -1);
}

TEST(SessionRecord, HasOnlySoManyUris) {
  SessionRecord record;
  for (int i = 0; i < 10'000; ++i) record.uris.push_back("test://" + std::string(1'000, 'x'));
  EXPECT_LE(text_of(record).size(), 100'000U);
}

}  // namespace
}  // namespace patchbay::gateway
