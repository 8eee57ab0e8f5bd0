#include "net/tls/handshake_turns.h"

namespace patchbay::net {

HandshakeTurns& HandshakeTurns::here() {
  static thread_local HandshakeTurns turns;
  return turns;
}

void HandshakeTurns::take() {
  taken_ = true;
  patchbay::here().at_turn_end(*this);
}

// The first in line continues in the next turn, after the events of that turn. Until then no other
// may overtake it.
void HandshakeTurns::on_turn_end() {
  if (waiting_.empty()) {
    taken_ = false;
    return;
  }
  Turn& first = *waiting_.front();
  first.leave();
  patchbay::here().resume_next_turn(first.task_);
}

}  // namespace patchbay::net
