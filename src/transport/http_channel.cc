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

Result<void> HttpChannel::send(std::string message, const Sending& /*how*/) {
  if (closed_) return Error{Code::unavailable, "the channel is closed"};
  posts_.spawn(post(std::move(message)));
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
  net::HttpClient client;
  auto asked = co_await client.request(url_, "POST", fields(), message, deadline_);
  if (asked) asked = co_await receive(client);
  if (!asked && !std::exchange(closed_, true)) listener_->on_closed(asked.error().message);
  co_return asked;
}

Task<void> HttpChannel::receive(net::HttpClient& client) {
  if (auto session = client.field("Mcp-Session-Id"); !session.empty()) session_ = session;
  if (client.status() == 200 && client.field("Content-Type").starts_with("text/event-stream")) {
    co_return co_await receive_events(client);
  }
  auto body = co_await client.read_all(kMostBody, deadline_);
  if (!body) co_return body.error();
  if (client.status() < 300) {
    if (!body->empty()) received(*body);
    co_return ok();
  }
  const auto error = json::check(*body) ? json::member(*body, "error") : std::nullopt;
  const auto why = error ? json::string_member(*error, "message") : std::nullopt;
  co_return Error{Code::upstream_failed, fmt::format("HTTP status {}{}{}", client.status(),
                                                     why ? ": " : "", why.value_or(""))};
}

Task<void> HttpChannel::receive_events(net::HttpClient& client) {
  std::string text;
  std::string data;
  for (;;) {
    auto piece = co_await client.read(deadline_);
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
  listener_->on_message(message, 0);
}

Task<void> HttpChannel::finish() {
  auto sent = co_await posts_.drain(deadline_);
  if (!sent) {
    posts_.cancel();
    sent = co_await posts_.drain(kNever);
  }
  if (session_.empty()) co_return ok();
  net::HttpClient client;
  co_return co_await client.request(url_, "DELETE", fields(), "", deadline_);
}

}  // namespace patchbay::transport
