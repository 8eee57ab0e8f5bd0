#include "osquery/query_slots.h"

#include <gtest/gtest.h>

#include <optional>
#include <vector>

#include "async/scope.h"
#include "testing/manual_executor.h"

namespace patchbay::osquery {
namespace {

using std::chrono::seconds;
using Slot = std::optional<QuerySlots::Slot>;

// Enters and stores the outcome.
Task<void> enter(QuerySlots& slots, Deadline deadline, Slot& into, Code& why) {
  auto slot = co_await slots.enter(deadline);
  if (slot) {
    into.emplace(*std::move(slot));
  } else {
    why = slot.error().code;
  }
  co_return ok();
}

class QuerySlotsTest : public ::testing::Test {
 protected:
  struct Query {
    Slot slot;
    Code why = Code::internal;  // Nothing yet.
  };

  Query& begin(Scope& scope, Deadline deadline = kNever) {
    auto& query = *queries_.emplace_back(std::make_unique<Query>());
    scope.spawn(enter(slots_, deadline, query.slot, query.why));
    executor_.run();
    return query;
  }
  void end(Query& query) {
    query.slot.reset();
    executor_.run();
  }

  testing::ManualExecutor executor_;
  QuerySlots slots_{1, 2};
  std::vector<std::unique_ptr<Query>> queries_;
};

TEST_F(QuerySlotsTest, GrantsSlotsInTheOrderOfRequests) {
  Scope scope;
  Query& first = begin(scope);
  Query& second = begin(scope);
  Query& third = begin(scope);
  EXPECT_TRUE(first.slot);
  EXPECT_FALSE(second.slot || third.slot);
  EXPECT_EQ(begin(scope).why, Code::overloaded);
  end(first);
  EXPECT_TRUE(second.slot && !third.slot);
  end(second);
  EXPECT_TRUE(third.slot);
  end(third);
  Query& last = begin(scope);
  EXPECT_TRUE(last.slot);
  end(last);
}

TEST_F(QuerySlotsTest, AWaiterThatTimesOutTakesNoSlot) {
  Scope scope;
  Scope others;
  Query& first = begin(scope);
  Query& late = begin(scope, executor_.now() + seconds(1));
  Query& cancelled = begin(others);
  executor_.pass(seconds(2));
  EXPECT_EQ(late.why, Code::overloaded);
  others.cancel();
  executor_.run();
  EXPECT_EQ(cancelled.why, Code::cancelled);
  end(first);
  Query& next = begin(scope);
  EXPECT_TRUE(next.slot);
  end(next);
}

// A slot that becomes free in the turn in which its waiter times out goes to the next.
TEST_F(QuerySlotsTest, TimingOutAndBeingServedAtOnce) {
  Scope scope;
  Scope others;
  Query& first = begin(scope);
  Query& cancelled = begin(others);
  Query& next = begin(scope);
  others.cancel();     // It is cancelled...
  first.slot.reset();  // ...and served before it has run.
  executor_.run();
  EXPECT_TRUE(next.slot);
  EXPECT_EQ(cancelled.why, Code::cancelled);
  end(next);
  Query& last = begin(scope);
  EXPECT_TRUE(last.slot);
  end(last);
}

}  // namespace
}  // namespace patchbay::osquery
