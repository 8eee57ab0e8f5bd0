#include "net/http/client/response.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>

#include "core/text.h"
#include "net/http/client/connections.h"
#include "observe/memory.h"

namespace patchbay::net {
namespace {

constexpr int kMostInterim = 32;
constexpr std::size_t kLargestStep = 256 * 1024;
// A body up to this size gets its memory as soon as it is announced: untouched memory costs
// nothing.
constexpr std::size_t kAtOnce = 4 << 20;
constexpr std::size_t kSpare = 512;  // For what is added to a response later.

Error broken(std::string_view why) {
  return {Code::upstream_failed, fmt::format("the server's answer cannot be used: {}", why)};
}

Error too_large(std::size_t most) {
  return {Code::too_large, fmt::format("the server's answer exceeds {} bytes", most)};
}

// How long the server keeps an idle connection, if it announces that: `Keep-Alive: timeout=5`.
std::optional<std::chrono::seconds> announced_idle(const HttpFields& fields) {
  constexpr std::string_view kTimeout = "timeout=";
  const auto text = fields.find("Keep-Alive");
  const auto at = text ? text->find(kTimeout) : std::string_view::npos;
  if (at == std::string_view::npos) return std::nullopt;
  const auto digits = text->substr(at + kTimeout.size());
  unsigned count = 0;
  const auto [end, fault] = std::from_chars(digits.data(), digits.data() + digits.size(), count);
  if (fault != std::errc()) return std::nullopt;
  return std::chrono::seconds(count);
}

}  // namespace

HttpResponse::HttpResponse(std::unique_ptr<PooledConnection> connection, bool bodiless)
    : connection_(std::move(connection)), bodiless_(bodiless) {}

HttpResponse::~HttpResponse() = default;

std::string_view HttpResponse::field(std::string_view name) const {
  return head_.fields.find(name).value_or("");
}

Result<bool> HttpResponse::take_head() {
  const auto& limits = connection_->settings().response;
  for (;;) {
    const auto bytes = input_.bytes();
    // A head ends with a line break, so a piece without one is not parsed until a limit is near.
    const bool look = bytes.find('\n', searched_) != std::string_view::npos ||
                      bytes.size() > limits.headers || searched_ == 0;
    searched_ = bytes.size();
    if (bytes.empty() || !look) return false;
    auto size = parse_response(bytes, limits, head_);
    if (!size) return broken(size.error().message);
    if (*size == 0) return false;
    input_.drop(*size);
    if (head_.status >= 200) {
      head_text_ = bytes.substr(0, *size);
      begin_body();
      return true;
    }
    if (head_.status == 101) return broken("it switches protocols without a request");
    if (++interim_ > kMostInterim) return broken("too many interim responses precede it");
    searched_ = 0;
  }
}

void HttpResponse::begin_body() {
  auto& framing = head_.framing;
  if (bodiless_ || head_.status == 204 || head_.status == 304)
    framing = {false, framing.keep_alive, 0};
  left_ = framing.length.value_or(0);
  const auto bytes = input_.bytes();
  if (framing.chunked) {
    at_hand_ = join_chunks();
  } else if (framing.length && bytes.size() >= left_) {
    at_hand_ = bytes.substr(0, left_);
    input_.drop(left_);
  }
  if (at_hand_) end(input_.empty());
}

// The whole of a chunked body, if all of it has arrived.
std::optional<std::string_view> HttpResponse::join_chunks() {
  const auto bytes = input_.bytes();
  ChunkReader reader;
  std::string_view first;
  std::string joined;
  for (std::size_t used = 0;;) {
    auto step = reader.next(bytes.substr(used));
    if (!step || (step->taken == 0 && !step->done)) return std::nullopt;
    used += step->taken;
    if (first.empty()) {
      first = step->data;
    } else if (!step->data.empty()) {
      if (joined.empty()) joined = first;
      joined += step->data;
    }
    if (!step->done) continue;
    input_.drop(used);
    if (joined.empty()) return first;
    joined_ = std::move(joined);
    return joined_;
  }
}

// The body is complete. `clean`: no unexpected bytes follow it.
void HttpResponse::end(bool clean) {
  done_ = true;
  auto connection = std::move(connection_);
  if (!clean || !head_.framing.keep_alive || connection->half_sent) return;
  auto& connections = connection->connections;
  auto idle = connections.settings().idle;
  // A little earlier than the server, so that no request meets the closing connection.
  if (const auto theirs = announced_idle(head_.fields)) {
    idle = std::min<std::chrono::nanoseconds>(idle, *theirs - std::chrono::seconds(1));
  }
  if (idle.count() > 0) connections.put_back(std::move(connection), idle);
}

// The part of the body that has arrived and was not returned yet; may be empty.
Result<std::string_view> HttpResponse::take_piece() {
  if (at_hand_) return *std::exchange(at_hand_, std::nullopt);
  input_.drop(std::exchange(used_, 0));
  if (done_) return std::string_view();
  if (!connection_) return Error{Code::unavailable, "the connection is closed"};
  const auto bytes = input_.bytes();
  if (!head_.framing.chunked) {
    used_ = head_.framing.length ? std::min<std::uint64_t>(left_, bytes.size()) : bytes.size();
    left_ -= head_.framing.length ? used_ : 0;
    if (head_.framing.length && left_ == 0) end(bytes.size() == used_);
    return bytes.substr(0, used_);
  }
  for (;;) {
    auto step = chunks_.next(bytes.substr(used_));
    if (!step) return broken(step.error().message);
    used_ += step->taken;
    if (!step->data.empty()) return step->data;
    if (step->done) end(bytes.size() == used_);
    if (step->done || step->taken == 0) return std::string_view();
  }
}

Task<std::string_view> HttpResponse::read(Deadline deadline) {
  for (;;) {
    auto piece = take_piece();
    if (!piece) connection_.reset();
    if (!piece || !piece->empty() || done_) co_return piece;
    auto more = co_await read_more(deadline);
    if (!more) connection_.reset();
    if (!more) co_return more.error();
  }
}

Task<void> HttpResponse::read_more(Deadline deadline) {
  keep_head();
  input_.drop(std::exchange(used_, 0));
  Stream& stream = *connection_->stream;
  for (;;) {
    const auto room = input_.room(read_step_);
    auto got = stream.try_read(room);
    if (!got) co_return on_end_of_stream(got.error());
    input_.add(*got);
    if (*got == room.size()) read_step_ = std::min(room.size() * 2, kLargestStep);
    if (*got > 0) co_return ok();
    input_.release_if_empty();  // A stream may be silent for long.
    auto ready = co_await stream.ready(Source::Direction::read, deadline);
    if (!ready) co_return ready;
  }
}

Result<void> HttpResponse::on_end_of_stream(const Error& why) {
  const bool until_the_end = !head_.framing.chunked && !head_.framing.length;
  if (!until_the_end) return broken("it broke off: " + why.message);
  if (!connection_->stream->ended()) return broken("it broke off: " + why.message);
  end(false);
  return ok();
}

// The memory of the head, to which views point, is about to be reused for the body.
void HttpResponse::keep_head() {
  if (!stored_head_.empty()) return;
  stored_head_ = head_text_;
  const auto framing = head_.framing;
  auto again = parse_response(stored_head_, connection_->settings().response, head_);
  head_.framing = framing;
}

Task<std::string> HttpResponse::read_all(std::size_t most, Deadline deadline) {
  if (head_.framing.length && !at_hand_ && !done_) {
    if (left_ > most) co_return too_large(most);
    co_return co_await read_sized(deadline);
  }
  std::string body;
  for (;;) {
    auto piece = co_await read(deadline);
    if (!piece) co_return piece.error();
    if (piece->empty()) co_return body;
    if (piece->size() > most - body.size()) co_return too_large(most);
    if (memory::is_short(piece->size())) co_return memory::shortage();
    body += *piece;
  }
}

// Read directly into the target: only what arrived with the head is copied.
Task<std::string> HttpResponse::read_sized(Deadline deadline) {
  auto first = take_piece();
  if (!first) co_return first.error();
  std::string body;
  if (first->size() + left_ <= kAtOnce) body.reserve(first->size() + left_ + kSpare);
  body = *first;
  while (!done_) {
    const auto before = body.size();
    // Memory grows with what has arrived, not with what was announced.
    const auto step = std::max({before, kLargestStep, body.capacity() - before});
    const auto more = std::min<std::uint64_t>(left_, step);
    if (memory::is_short(more)) {
      connection_.reset();
      co_return memory::shortage();
    }
    stretch(body, before + more);
    auto got = co_await connection_->stream->read_some(std::span(body).subspan(before), deadline);
    if (!got) {
      connection_.reset();
      if (got.error().code != Code::unavailable) co_return got.error();
      co_return broken("it broke off: " + got.error().message);
    }
    stretch(body, before + *got);
    left_ -= *got;
    if (left_ == 0) end(true);
  }
  co_return body;
}

}  // namespace patchbay::net
