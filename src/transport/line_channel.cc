#include "transport/line_channel.h"

#include <fcntl.h>
#include <fmt/format.h>

#include "core/release.h"
#include "core/text.h"
#include "json/read.h"
#include "observe/log.h"

namespace patchbay::transport {
namespace {

constexpr std::size_t kReadStep = 64 * 1024;
constexpr std::size_t kMostReadStep = 1 << 20;  // For a peer that fills every read.
// Bytes read in one turn, so that other tasks get their turn.
constexpr std::size_t kTurnBudget = 1 << 20;
constexpr int kTurnLines = 256;  // And lines handled in one turn, for the same reason.
constexpr std::size_t kRetainedMemory = 4 << 20;  // Memory retained when the buffer is empty.

net::Fd non_blocking(net::Fd fd) {
  ::fcntl(fd.get(), F_SETFL, ::fcntl(fd.get(), F_GETFL) | O_NONBLOCK);
  return fd;
}

// Logs messages if that is configured.
void log_message(std::string_view message) {
  if (!log::messages_logged()) return;
  const std::string_view kind = json::member(message, "method") ? "Request: " : "Response: ";
  log::Line(log::Level::debug, log::plain_event(fmt::format("{}{}", kind, message)));
}

}  // namespace

LineChannel::LineChannel(net::Fd in, net::Fd out, const LineLimits& limits)
    : limits_(limits),
      in_(std::make_shared<net::Stream>(non_blocking(std::move(in)))),
      out_(std::make_shared<net::Stream>(non_blocking(std::move(out)))) {
  outbox_.emplace(*out_, limits_.outbox);
}

LineChannel::LineChannel(std::unique_ptr<net::Stream> both, const LineLimits& limits)
    : limits_(limits), in_(std::move(both)), out_(in_) {
  outbox_.emplace(*out_, limits_.outbox);
}

LineChannel::~LineChannel() { in_->forget(*this); }

void LineChannel::start(Listener& listener) {
  listener_ = &listener;
  outbox_->on_broken([this, alive = liveness_.watch()] {
    if (!alive.expired()) fail("the peer closed its input");
  });
  read_soon();
}

Result<void> LineChannel::send(std::string message, const Sending& how) {
  if (closed_ || sending_ends_) return Error{Code::unavailable, "the channel is closed"};
  log_message(message);
  if (message.find_first_of("\n\r") != std::string::npos) {
    message = json::on_one_line(message);
  }
  return how.is_answer ? outbox_->put_answer({message, "\n"}) : outbox_->put({message, "\n"});
}

Task<void> LineChannel::room() {
  if (!outbox_) co_return ok();
  co_return co_await outbox_->room(limits_.write_timeout);
}

Task<void> LineChannel::flushed(std::chrono::nanoseconds timeout) {
  if (!outbox_) co_return ok();
  co_return co_await outbox_->drained(timeout);
}

void LineChannel::close_sending() {
  sending_ends_ = true;
  drop_out();
}

void LineChannel::close() {
  closed_ = true;
  in_->forget(*this);
  drop_out();
}

void LineChannel::drop_out() {
  outbox_.reset();
  if (out_ == in_) in_->end_sending();
  out_.reset();
}

void LineChannel::read_soon() {
  here().post([this, alive = liveness_.watch()] {
    if (!alive.expired()) read();
  });
}

// All input is handled before the next read.
void LineChannel::read() {
  std::size_t budget = kTurnBudget;
  for (int lines = kTurnLines;;) {
    if (closed_ || end_reported_ || !deliver_lines(lines)) return;
    if (lines == 0 || budget == 0) return read_soon();
    const std::size_t before = buffer_.size();
    const std::size_t step = make_room();
    auto got = in_->try_read(std::span(buffer_).subspan(before));
    buffer_.resize(before + (got ? *got : 0));
    read_step_ = got && *got == step ? std::min(step * 2, kMostReadStep) : kReadStep;
    if (!got) return end_of_input();
    if (*got == 0) break;
    budget -= std::min(budget, *got);
  }
  in_->wait_readable(*this);
}

// Extends the buffer by the returned part. A line that outgrows kRetainedMemory gets room for the
// longest line at once: the system provides that memory page by page as it is filled, and moving it
// later would need it twice.
std::size_t LineChannel::make_room() {
  const std::size_t wanted = buffer_.size() + read_step_;
  if (wanted > buffer_.capacity()) {
    const std::size_t longest = limits_.line + 1 + kMostReadStep;
    buffer_.reserve(wanted > kRetainedMemory
                        ? std::max(wanted, longest)
                        : std::max(wanted, std::min(buffer_.capacity() * 4, kRetainedMemory)));
  }
  stretch(buffer_, wanted);
  return read_step_;
}

// At most `left` lines. False if the channel has ended.
bool LineChannel::deliver_lines(int& left) {
  while (left > 0) {
    const auto end = buffer_.find('\n', std::max(used_, searched_));
    if (end == std::string::npos) {
      searched_ = buffer_.size();
      break;
    }
    const auto line = std::string_view(buffer_).substr(used_, end - used_);
    used_ = end + 1;
    --left;
    if (!deliver(line)) return false;
  }
  drop_used();
  if (left == 0 || buffer_.size() - used_ <= limits_.line) return true;
  used_ = buffer_.size();
  drop_used();
  fail(fmt::format("the peer sent a line of more than {} bytes", limits_.line));
  return false;
}

bool LineChannel::deliver(std::string_view line) {
  line = trimmed(line);
  if (!line.empty()) {
    log_message(line);
    listener_->on_message(line, 0);
  }
  return !closed_ && !end_reported_;
}

// Consumed bytes are dropped when that is cheap: when they are all, or most, of the buffer.
void LineChannel::drop_used() {
  if (used_ < buffer_.size() && used_ <= buffer_.size() / 2) return;
  buffer_.erase(0, used_);
  searched_ -= std::min(searched_, used_);
  used_ = 0;
  if (buffer_.empty()) release_beyond(buffer_, kRetainedMemory);
}

void LineChannel::end_of_input() {
  const auto rest = std::string_view(buffer_).substr(used_);
  if (!deliver(rest)) return;
  used_ = buffer_.size();
  drop_used();
  fail("the peer closed its output");
}

// The receiving side has ended. Requests may still be answered, so sending continues.
void LineChannel::fail(const std::string& why) {
  if (closed_ || std::exchange(end_reported_, true)) return;
  in_->forget(*this);
  listener_->on_closed(why);
}

}  // namespace patchbay::transport
