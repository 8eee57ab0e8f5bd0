#include "transport/http_channel.h"

#include <fmt/format.h>

#include "json/read.h"

namespace patchbay::transport {
namespace {

constexpr std::size_t kMostBody = 64 << 20;

// Takes one event's data off the front of `text`; false if none is complete.
bool take_event(std::string& text, std::string& data) {
  data.clear();
  std::size_t at = 0;
  for (;;) {
    const auto end = text.find('\n', at);
    if (end == std::string::npos) return false;
    std::string_view line(text.data() + at, end - at);
    at = end + 1;
    if (line.ends_with('\r')) line.remove_suffix(1);
    if (line.empty()) break;
    if (!line.starts_with("data:")) continue;
    line.remove_prefix(5);
    if (line.starts_with(' ')) line.remove_prefix(1);
    if (!data.empty()) data += '\n';
    data += line;
  }
  text.erase(0, at);
  return true;
}

}  // namespace

Result<void> HttpChannel::send(std::string_view message) {
  if (closed_) return Error{Code::unavailable, "the channel is closed"};
  posts_.spawn(post(std::string(message)));
  return ok();
}

void HttpChannel::close() {
  closed_ = true;
  posts_.cancel();
}

std::string HttpChannel::fields() const {
  std::string text =
      "Content-Type: application/json\r\nAccept: application/json, text/event-stream\r\n";
  if (!session_.empty()) text += fmt::format("Mcp-Session-Id: {}\r\n", session_);
  if (!revision_.empty()) text += fmt::format("MCP-Protocol-Version: {}\r\n", revision_);
  return text;
}

Task<void> HttpChannel::post(std::string message) {
  const std::string lines = fields();
  const net::HttpCall call{"POST", pool_.origin().path, lines, message};
  auto response = co_await pool_.request(call, deadline_);
  Result<void> received = response ? ok() : response.error();
  if (response) received = co_await receive(**response);
  if (!received && !std::exchange(closed_, true)) listener_->on_closed(received.error().message);
  co_return received;
}

Task<void> HttpChannel::receive(net::HttpResponse& response) {
  if (auto session = response.field("Mcp-Session-Id"); !session.empty()) session_ = session;
  if (response.status() == 200 && response.field("Content-Type").starts_with("text/event-stream")) {
    co_return co_await receive_events(response);
  }
  auto body = co_await response.read_all(kMostBody, deadline_);
  if (!body) co_return body.error();
  if (response.status() < 300) {
    if (!body->empty()) received(*body);
    co_return ok();
  }
  const auto error = json::check(*body) ? json::member(*body, "error") : std::nullopt;
  const auto why = error ? json::string_member(*error, "message") : std::nullopt;
  co_return Error{Code::upstream_failed, fmt::format("HTTP status {}{}{}", response.status(),
                                                     why ? ": " : "", why.value_or(""))};
}

Task<void> HttpChannel::receive_events(net::HttpResponse& response) {
  std::string text;
  std::string data;
  for (;;) {
    auto piece = co_await response.read(deadline_);
    if (!piece) co_return piece.error();
    if (piece->empty()) co_return ok();
    text += *piece;
    if (text.size() > kMostBody) co_return Error{Code::too_large, "an event is too large"};
    while (take_event(text, data)) {
      if (!data.empty()) received(data);
    }
  }
}

void HttpChannel::received(std::string_view message) {
  if (revision_.empty() && json::check(message)) {
    const auto result = json::member(message, "result");
    if (result) revision_ = json::string_member(*result, "protocolVersion").value_or("");
  }
  listener_->on_message(message);
}

Task<void> HttpChannel::finish() {
  auto sent = co_await posts_.drain(deadline_);
  if (!sent) {
    posts_.cancel();
    sent = co_await posts_.drain(kNever);
  }
  if (session_.empty()) co_return ok();
  const std::string lines = fields();
  const net::HttpCall call{"DELETE", pool_.origin().path, lines, ""};
  auto response = co_await pool_.request(call, deadline_);
  if (!response) co_return response.error();
  co_return ok();
}

}  // namespace patchbay::transport
