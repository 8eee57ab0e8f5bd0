#include "agent/line_reader.h"

#include "core/release.h"
#include "core/text.h"

namespace patchbay::agent {
namespace {

constexpr std::size_t kLineReadStep = 64 * 1024;
constexpr std::size_t kTurnBudget = 1 << 20;
constexpr std::size_t kKeep = 256 * 1024;  // Memory retained while idle.

char first_of(std::string_view text) { return text.empty() ? '\0' : text.front(); }

}  // namespace

Task<LineReader::Line> LineReader::next() {
  Line line;
  for (;;) {
    if (take_line(line)) co_return line;
    if (ended_) {
      if (take_rest(line)) co_return line;
      co_return Error{Code::unavailable, "the peer has ended its input"};
    }
    auto read = co_await read_more();
    if (!read && read.error().code == Code::cancelled) co_return read.error();
    if (!read) ended_ = true;
  }
}

// The next complete line of the buffer that is not empty.
bool LineReader::take_line(Line& line) {
  for (;;) {
    const auto end = buffer_.find('\n', searched_);
    if (end == std::string::npos) break;
    const auto text = trimmed(std::string_view(buffer_).substr(used_, end - used_));
    const bool skipped = std::exchange(skipping_, false);
    const bool too_long = skipped || end - used_ > longest_;
    used_ = searched_ = end + 1;
    if (text.empty() && !too_long) continue;
    line = {too_long ? std::string_view() : text, too_long,
            skipped ? skipped_first_ : first_of(text)};
    return true;
  }
  searched_ = buffer_.size();
  if (skipping_ || buffer_.size() - used_ > longest_) {
    if (!std::exchange(skipping_, true)) {
      skipped_first_ = first_of(trimmed(std::string_view(buffer_).substr(used_)));
    }
    used_ = buffer_.size();
  }
  return false;
}

bool LineReader::take_rest(Line& line) {
  const auto text = trimmed(std::string_view(buffer_).substr(used_));
  const bool too_long = std::exchange(skipping_, false);
  used_ = searched_ = buffer_.size();
  line = {text, too_long, too_long ? skipped_first_ : first_of(text)};
  return too_long || !text.empty();
}

Task<void> LineReader::read_more() {
  if (in_a_row_ >= kTurnBudget) {
    co_await next_turn();
    in_a_row_ = 0;
  }
  // The caller no longer holds a view of the buffer.
  if (used_ == buffer_.size() || used_ > buffer_.size() / 2) {
    buffer_.erase(0, used_);
    searched_ -= used_;
    used_ = 0;
  }
  if (buffer_.empty()) release_beyond(buffer_, kKeep);
  for (;;) {
    const std::size_t before = buffer_.size();
    stretch(buffer_, before + kLineReadStep);
    auto got = in_.try_read(std::span(buffer_).subspan(before));
    buffer_.resize(before + (got ? *got : 0));
    if (!got) co_return got.error();
    in_a_row_ += *got;
    if (*got > 0) co_return ok();
    in_a_row_ = 0;
    auto ready = co_await in_.ready(net::Source::Direction::read, kNever);
    if (!ready) co_return ready.error();
  }
}

}  // namespace patchbay::agent
