#include "transport/sse_channel.h"

#include <fmt/format.h>

#include "core/http_token.h"
#include "net/http/syntax/accept.h"
#include "transport/context_fields.h"

namespace patchbay::transport {
namespace {

// The timeout for the endpoint event of a server that need not send one.
constexpr auto kEndpointTimeout = std::chrono::seconds(2);

}  // namespace

SseChannel::SseChannel(const HttpTarget& target, PostEndpoint source, net::Url post)
    : target_(target),
      source_(source),
      post_(std::move(post)),
      pool_(target.url, target.tls, target.pool) {}

Task<void> SseChannel::connect(Deadline deadline) {
  const std::string fields = "Accept: text/event-stream\r\n" + target_.fields;
  const net::HttpCall call{"GET", target_.url.path, fields, ""};
  auto asked = request_as(target_.credentials.get(), pool_, call, deadline);
  auto response = co_await asked;
  if (!response) co_return response.error();
  const bool stream =
      same_token(net::media_type((*response)->field("Content-Type")), "text/event-stream");
  if ((*response)->status() != 200 || !stream) {
    co_return Error{Code::upstream_failed,
                    fmt::format("there is no event stream at {} ({})", target_.url.text(),
                                reason_of(target_, (*response)->status(), ""))};
  }
  tasks_.spawn(read(*std::move(response)));
  if (source_ == PostEndpoint::fixed) co_return ok();
  const bool patient = source_ == PostEndpoint::announced;
  auto announced = co_await endpoint_.wait(
      patient ? deadline : std::min(deadline, here().now() + kEndpointTimeout));
  if (!announced && !patient && announced.error().code == Code::timeout) co_return ok();
  co_return announced;
}

Task<void> SseChannel::read(std::unique_ptr<net::HttpResponse> stream) {
  EventReader events(target_.most);
  std::string why = "the server ended its event stream";
  while (!closed_) {
    auto piece = co_await stream->read(kNever);
    if (!piece) why = piece.error().message;
    if (!piece || piece->empty()) break;
    auto fed = events.feed(*piece);
    if (!fed) {
      why = fed.error().message;
      break;
    }
    for (Event event; !closed_ && events.next(event);) take(event);
  }
  stream.reset();
  endpoint_.deliver(Error{Code::upstream_failed, why});
  fail(why);
  co_return ok();
}

void SseChannel::take(const Event& event) {
  if (event.type.empty()) {
    if (listener_ && !event.data.empty()) listener_->on_message(event.data, 0);
    return;
  }
  if (event.type != "endpoint" || source_ == PostEndpoint::fixed || endpoint_.delivered()) return;
  auto url = net::resolve_reference(target_.url, event.data);
  // Our messages contain data of clients, so they are sent only to the configured server.
  if (url && url->origin() != target_.url.origin()) {
    url = Error{Code::upstream_failed,
                fmt::format("the server requests messages at another origin: {}", event.data)};
  }
  if (url) post_ = *url;
  endpoint_.deliver(url ? ok() : Result<void>(url.error()));
}

Result<void> SseChannel::send(std::string message, const Sending& how) {
  if (closed_) return Error{Code::unavailable, "the channel is closed"};
  std::string fields =
      "Content-Type: application/json\r\nAccept: application/json, text/event-stream\r\n" +
      target_.fields;
  if (how.context) append_context(fields, *how.context);
  tasks_.spawn(post(std::move(message), std::move(fields), how.id));
  return ok();
}

Task<void> SseChannel::post(std::string message, std::string fields, std::uint64_t id) {
  auto posted = co_await exchange(message, fields, id);
  if (!posted && posted.error().code != Code::cancelled && !closed_) {
    if (id != 0) listener_->on_lost(id, fault_of_server(posted.error()));
    if (posted.error().code == Code::unavailable) fail(posted.error().message);
  }
  co_return ok();
}

// The response arrives on the stream; only a refusal arrives here, and from some servers the
// response itself.
Task<void> SseChannel::exchange(const std::string& message, const std::string& fields,
                                std::uint64_t id) {
  const Deadline deadline = here().now() + kAcceptance;
  const net::HttpCall call{"POST", post_.path, fields, message};
  auto asked = request_as(target_.credentials.get(), pool_, call, deadline);
  auto response = co_await asked;
  if (!response) co_return response.error();
  const int status = (*response)->status();
  if (status == 202) co_return ok();  // A body is ignored.
  auto body = co_await (*response)->read_all(target_.most, deadline);
  if (!body) co_return body.error();
  if (status != 200 && status != 204) {
    co_return Error{Code::upstream_failed, reason_of(target_, status, *body)};
  }
  const bool answers = status == 200 && body->starts_with('{') && !closed_;
  if (answers && id != 0) listener_->on_message(*body, id);
  co_return ok();
}

void SseChannel::fail(const std::string& why) {
  if (std::exchange(closed_, true) || !listener_) return;
  listener_->on_closed(why);
}

void SseChannel::close() {
  closed_ = true;
  tasks_.cancel();
}

Task<void> SseChannel::finish() {
  close();
  auto drained = co_await tasks_.drain(kNever);
  pool_.close();
  co_return drained;
}

}  // namespace patchbay::transport
