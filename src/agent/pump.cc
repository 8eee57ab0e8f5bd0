#include "agent/pump.h"

#include <fcntl.h>

#include <cerrno>
#include <vector>

namespace patchbay::agent {
namespace {

constexpr std::size_t kPipeReadStep = 64 * 1024;  // The initial capacity of a pipe.
constexpr int kLargePipe = 1 << 20;               // The maximum for an ordinary user.
constexpr int kStepsPerTurn = 64;
constexpr int kLastSteps = 2 * kLargePipe / static_cast<int>(kPipeReadStep);  // Two full pipes.

std::span<char> scratch() {
  static thread_local std::vector<char> bytes(kPipeReadStep);
  return bytes;
}

// Where unread bytes go; the kernel discards them without copying.
int nowhere() {
  static const net::Fd null(::open("/dev/null", O_WRONLY | O_CLOEXEC));
  return null.get();
}

}  // namespace

Pump::Pump(net::Fd pipe, Output& output, Writer* slow)
    : pipe_(std::move(pipe)), output_(output), slow_(slow) {
  pipe_.wait_readable(*this);
}

Pump::~Pump() {
  pipe_.forget(*this);
  if (slow_) slow_->forget(*this);
}

Pump::Step Pump::step() {
  if (output_.only_counts() && nowhere() >= 0) return discard();
  auto got = pipe_.try_read(scratch());
  if (!got) return Step::ended;
  if (*got == 0) return Step::empty;
  // A program that fills a pipe at once has more to write.
  if (*got == kPipeReadStep && !std::exchange(grown_, true)) {
    ::fcntl(pipe_.fd(), F_SETPIPE_SZ, kLargePipe);
  }
  output_.take({scratch().data(), *got});
  return Step::moved;
}

Pump::Step Pump::discard() {
  for (;;) {
    const ssize_t gone = ::splice(pipe_.fd(), nullptr, nowhere(), nullptr, kLargePipe,
                                  SPLICE_F_MOVE | SPLICE_F_NONBLOCK);
    if (gone > 0) {
      output_.count(static_cast<std::size_t>(gone));
      return Step::moved;
    }
    if (gone == 0) return Step::ended;
    if (errno != EINTR) return errno == EAGAIN ? Step::empty : Step::ended;
  }
}

void Pump::carry() {
  for (int steps = 0; !over_; ++steps) {
    if (output_.busy()) return slow_->wait_room(*this);
    if (steps == kStepsPerTurn) return carry_later();
    const Step done = step();
    if (done == Step::ended) over_ = true;
    if (done == Step::empty) return pipe_.wait_readable(*this);
  }
}

void Pump::carry_later() {
  here().post([this, alive = liveness_.watch()] {
    if (!alive.expired()) carry();
  });
}

void Pump::finish() {
  pipe_.forget(*this);
  if (slow_) slow_->forget(*this);
  for (int steps = 0; !over_ && steps < kLastSteps; ++steps) {
    if (step() != Step::moved) break;
  }
  over_ = true;
}

}  // namespace patchbay::agent
