// A PendingRequest is a request to a server that waits for its answer, with the timer of that wait.
// The timer is suspended while the client of the call answers a question of the server. Timer and
// answer are separate: only the answer, or the end of the wait, is stored as the answer.
//
// Confined to the worker of its link.
#pragma once

#include <chrono>
#include <cstdint>
#include <string>

#include "async/one_shot.h"
#include "gateway/call/clock.h"
#include "mcp/reply.h"

namespace patchbay::upstreams {

class PendingRequest final : Timer {
 public:
  std::uint64_t id = 0;
  OneShot<mcp::Reply> answer;
  const gateway::Call* call = nullptr;  // Null for requests of the gateway's own.
  std::string task = {};                // The task that the request is about.
  bool handshake = false;               // Must not be cancelled.
  bool repeatable = false;              // The call may be repeated over another connection.
  bool visible = false;                 // It has had an effect: progress, a question, a log line.
  std::string waiting_progress = {};  // The parameters of the newest that came too soon to be sent.

  // Unanswered questions to its client.
  int questions() const { return questions_; }

  // Starts the timer: when `deadline` has passed, the answer is the error Code::timeout.
  void start_clock(Deadline deadline) {
    deadline_ = deadline;
    set_timer();
  }
  void stop_clock() { drop(); }

  // The client is asked a question. The timer is suspended until it answers, at most for `timeout`.
  void begin_question(std::chrono::nanoseconds timeout) {
    if (questions_++ == 0) {
      asked_at_ = here().now();
      left_ = deadline_ - asked_at_;
    }
    go_on_after(timeout);
  }

  // The question has been answered or has failed.
  void end_question() {
    if (--questions_ > 0) return;
    if (call) gateway::pause_clock(*call, here().now() - asked_at_);
    go_on_after(std::chrono::nanoseconds(0));
  }

  // The server has reported progress. REQUIRES: it is the request of a call.
  void restart_clock() {
    const Deadline deadline = gateway::restart_clock(*call);
    if (questions_ == 0) {
      start_clock(deadline);
    } else {
      left_ = deadline - here().now();
    }
  }

 private:
  void on_deadline() override { answer.deliver(Error{Code::timeout, "the deadline passed"}); }

  void go_on_after(std::chrono::nanoseconds pause) {
    const Deadline from = here().now() + pause;
    start_clock(left_ < kNever - from ? from + left_ : kNever);
  }

  void set_timer() {
    drop();
    if (deadline_ != kNever) here().timers().set(*this, deadline_);
  }

  Deadline deadline_ = kNever;
  Deadline::duration left_{};  // Of the timer, while it is suspended.
  Deadline asked_at_{};
  int questions_ = 0;
};

}  // namespace patchbay::upstreams
