// Tests of the line in which steps of TLS handshakes wait.
#include "net/tls/handshake_turns.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "async/scope.h"
#include "testing/manual_executor.h"

namespace patchbay::net {
namespace {

using std::chrono::seconds;
using testing::ManualExecutor;

struct Line {
  HandshakeTurns turns;
  std::string log;  // One character per step, a stroke per turn.
  Scope scope;

  Task<void> shake(char name, int steps, Deadline deadline = kNever) {
    for (int i = 0; i < steps; ++i) {
      auto turn = co_await turns.next(deadline);
      if (!turn) {
        log += turn.error().code == Code::timeout ? '!' : '?';
        co_return turn;
      }
      log += name;
    }
    co_return ok();
  }
};

TEST(HandshakeTurns, OneStepPerTurnAndInOrder) {
  ManualExecutor executor;
  Line line;
  for (const char name : {'a', 'b', 'c'}) line.scope.spawn(line.shake(name, 2));
  for (int turn = 0; turn < 7; ++turn) {
    executor.run();
    line.log += '|';
  }
  EXPECT_EQ(line.log, "a|a|b|c|b|c||");
  EXPECT_TRUE(line.scope.empty());
}

TEST(HandshakeTurns, WaitsForNobodyWhenThereIsNoLine) {
  ManualExecutor executor;
  Line line;
  line.scope.spawn(line.shake('a', 1));
  EXPECT_EQ(line.log, "a");
  executor.run();
  line.scope.spawn(line.shake('b', 1));
  EXPECT_EQ(line.log, "ab");
  executor.run();
}

TEST(HandshakeTurns, AStepThatTimesOutLeavesTheQueue) {
  ManualExecutor executor;
  Line line;
  Scope other;
  line.scope.spawn(line.shake('a', 1));
  line.scope.spawn(line.shake('b', 1, here().now() + seconds(1)));
  other.spawn(line.shake('c', 1));
  line.scope.spawn(line.shake('d', 1));
  other.cancel();
  executor.pass(seconds(2));
  for (int turn = 0; turn < 3; ++turn) executor.run();
  EXPECT_EQ(line.log, "a?!d");
  EXPECT_TRUE(line.scope.empty() && other.empty());
}

}  // namespace
}  // namespace patchbay::net
