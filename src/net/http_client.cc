#include "net/http_client.h"

#include <fmt/format.h>

#include <charconv>

#include "net/socket.h"

namespace patchbay::net {
namespace {

constexpr std::size_t kReadStep = 64 * 1024;
constexpr auto kWritePatience = std::chrono::seconds(30);

}  // namespace

Result<Url> parse_url(std::string_view text) {
  constexpr std::string_view kScheme = "http://";
  if (text.starts_with("https://")) {
    return Error{Code::invalid_params, "https is not supported yet; use http://"};
  }
  if (!text.starts_with(kScheme)) {
    return Error{Code::invalid_params, fmt::format("'{}' does not begin with http://", text)};
  }
  text.remove_prefix(kScheme.size());
  Url url;
  const auto slash = text.find('/');
  auto authority = text.substr(0, slash);
  if (slash != std::string_view::npos) url.path = text.substr(slash);
  const auto colon = authority.rfind(':');
  if (colon != std::string_view::npos && !authority.ends_with(']')) {
    const auto digits = authority.substr(colon + 1);
    const auto [end, fault] =
        std::from_chars(digits.data(), digits.data() + digits.size(), url.port);
    if (fault != std::errc() || end != digits.data() + digits.size() || url.port < 1 ||
        url.port > 65535) {
      return Error{Code::invalid_params, fmt::format("'{}' is not a port", digits)};
    }
    authority = authority.substr(0, colon);
  }
  url.host = authority;
  if (url.host.starts_with('[') && url.host.ends_with(']')) {
    url.host = url.host.substr(1, url.host.size() - 2);
  }
  if (url.host.empty()) return Error{Code::invalid_params, "the URL names no host"};
  return url;
}

Task<void> HttpClient::request(const Url& url, std::string_view method, std::string_view fields,
                               std::string_view body, Deadline deadline) {
  auto address = resolve(url.host, url.port);
  if (!address) co_return address.error();
  auto fd = co_await connect_to(*address, deadline);
  if (!fd) co_return fd.error();
  source_.emplace(*std::move(fd));
  const bool v6 = url.host.find(':') != std::string::npos;
  const std::string text = fmt::format(
      "{} {} HTTP/1.1\r\nHost: {}{}{}:{}\r\nConnection: close\r\nContent-Length: {}\r\n{}\r\n{}",
      method, url.path, v6 ? "[" : "", url.host, v6 ? "]" : "", url.port, body.size(), fields,
      body);
  auto sent = co_await source_->write_all(text, kWritePatience);
  if (!sent) co_return sent;
  for (;;) {
    auto size = parse_response(received_, HttpLimits(), head_);
    if (!size) co_return size.error();
    if (*size > 0) {
      // The head's views need a text that stays.
      head_text_ = received_.substr(0, *size);
      received_.erase(0, *size);
      auto again = parse_response(head_text_, HttpLimits(), head_);
      left_ = head_.framing.length.value_or(0);
      const bool bodiless = head_.status == 204 || head_.status == 202;
      done_ = (head_.framing.length && left_ == 0) || (bodiless && !head_.framing.chunked);
      co_return ok();
    }
    auto got = co_await more(deadline);
    if (!got) co_return got;
    if (closed_) co_return Error{Code::unavailable, "the server closed without an answer"};
  }
}

std::string HttpClient::field(std::string_view name) const {
  return std::string(head_.fields.find(name).value_or(""));
}

Task<void> HttpClient::more(Deadline deadline) {
  const auto before = received_.size();
  received_.resize(before + kReadStep);
  auto got = co_await source_->read_some(std::span(received_).subspan(before), deadline);
  received_.resize(before + (got ? *got : 0));
  if (got) co_return ok();
  if (got.error().code != Code::unavailable) co_return got.error();
  closed_ = true;
  co_return ok();
}

Result<std::string> HttpClient::take_chunk() {
  for (;;) {
    auto step = chunks_.next(std::string_view(received_).substr(used_));
    if (!step) return step.error();
    used_ += step->taken;
    done_ = step->done;
    std::string data(step->data);
    if (done_ || step->taken == 0 || !data.empty()) {
      received_.erase(0, std::exchange(used_, 0));
      return data;
    }
  }
}

Task<std::string> HttpClient::read(Deadline deadline) {
  while (!done_) {
    if (!received_.empty()) {
      if (head_.framing.chunked) {
        auto data = take_chunk();
        if (!data || !data->empty() || done_) co_return data;
      } else {
        std::string data = std::exchange(received_, "");
        if (head_.framing.length) {
          left_ -= std::min<std::uint64_t>(left_, data.size());
          done_ = left_ == 0;
        }
        co_return data;
      }
    }
    if (closed_) {
      done_ = true;
      if (head_.framing.chunked || head_.framing.length) {
        co_return Error{Code::unavailable, "the server closed in the middle of its answer"};
      }
      break;
    }
    auto got = co_await more(deadline);
    if (!got) co_return got.error();
  }
  co_return std::string();
}

Task<std::string> HttpClient::read_all(std::size_t most, Deadline deadline) {
  std::string body;
  for (;;) {
    auto piece = co_await read(deadline);
    if (!piece) co_return piece;
    if (piece->empty()) co_return body;
    body += *piece;
    if (body.size() > most) co_return Error{Code::too_large, "the answer is too large"};
  }
}

}  // namespace patchbay::net
