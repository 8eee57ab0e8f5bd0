#include "cluster/incoming_link.h"

#include "core/discard.h"
#include "observe/memory.h"

namespace patchbay::cluster {
namespace {

constexpr net::HttpLimits kLimits{.request_line = 1 << 20,
                                  .headers = 4 << 20,
                                  .fields = 10'000,
                                  .field = 1 << 20};  // The other node has checked them.

transport::FrameSettings frame_settings(const IncomingSettings& settings) {
  transport::FrameSettings frames;
  frames.rules.header = wire::Header::seven;
  frames.writes = wire::Header::seven;
  frames.outbox = settings.buffer;
  frames.ping = settings.silence / 2;
  frames.pong = settings.silence / 2;
  return frames;
}

// Ends the streams when the server stops.
class OnStop final : public Stop::Hook {
 public:
  explicit OnStop(std::function<void()> act) : act_(std::move(act)) {}
  void on_stop() override { act_(); }

 private:
  const std::function<void()> act_;
};

}  // namespace

// Everything that the exchange refers to.
struct IncomingLink::Request {
  Request(IncomingLink& link, std::uint32_t number, const RequestFrame& frame)
      : stream(number), body_size(frame.body_size), head(frame.head), body(frame.body) {
    peer.ip = frame.ip;
    auto parsed = net::parse_request(head, kLimits, request);
    readable = parsed && *parsed == head.size();
    ForwardedExchange::Link& back = link;
    exchange.emplace(back, number, request, peer, idle, frame.secure, link.settings_.exchange);
  }

  const std::uint32_t stream;
  const std::uint64_t body_size;
  const std::string head;
  std::string body;
  net::HttpRequest request;
  net::HttpPeer peer;
  Stop idle;
  std::optional<ForwardedExchange> exchange;
  bool readable = false;
  bool started = false;
};

IncomingLink::IncomingLink(net::Stream& stream, const Members& members,
                           const net::HttpRoutes& routes, const IncomingSettings& settings)
    : members_(members),
      routes_(routes),
      settings_(settings),
      frames_(stream, frame_settings(settings)) {}

IncomingLink::~IncomingLink() = default;

Task<void> IncomingLink::run(Stop& idle) {
  OnStop on_idle([this] { end_streams(); });
  on_idle.link(idle);
  auto reading = frames_.read(*this);
  auto read = co_await reading.with_stop(reading_);
  if (stopping_ && requests_.empty()) {
    auto sent = co_await frames_.outbox().drained(settings_.silence);
    discard(sent, "the other node notices that the responses are incomplete");
  }
  for (const auto& [number, request] : requests_) request->exchange->on_left();
  std::erase_if(requests_, [](const auto& entry) { return !entry.second->started; });
  auto drained = co_await running_.drain(kNever);
  if (!drained) {
    running_.cancel();
    auto ending = running_.drain(kNever);
    auto ended = co_await ending.shielded();
    discard(ended, "the first failure counts");
  }
  co_return read ? drained : read;
}

void IncomingLink::end_streams() {
  stopping_ = true;
  for (const auto& [number, request] : requests_) request->idle.request();
  end_if_idle();
}

void IncomingLink::end_if_idle() {
  if (stopping_ && requests_.empty()) reading_.request();
}

Result<void> IncomingLink::send(std::string_view payload) {
  return frames_.send(wire::FrameType::data, payload);
}

void IncomingLink::refuse(std::uint32_t stream) {
  std::string payload = begin_payload(LinkFrame::refused, stream);
  append(payload, std::uint64_t{0});
  auto sent = send(payload);
  discard(sent, "a link that cannot be written to ends");
}

Result<void> IncomingLink::begin(const Payload& payload) {
  const auto frame = read_request(payload.rest);
  if (!frame || frame->body.size() > frame->body_size || requests_.contains(payload.stream)) {
    return Error{Code::invalid_request, "a node sent a request that cannot be read"};
  }
  const bool full = requests_.size() >= settings_.streams || frame->body_size > settings_.body ||
                    memory::is_short(frame->body_size);
  // A process that follows another one at the same address is not the member that is meant.
  auto caller = read_caller(frame->caller, standing_);
  if (full || frame->run != members_.run() || !caller) {
    refuse(payload.stream);
    return ok();
  }
  auto made = std::make_unique<Request>(*this, payload.stream, *frame);
  if (!made->readable) return Error{Code::invalid_request, "a node sent an unreadable request"};
  made->exchange->caller = std::make_shared<const Principal>(*std::move(caller));
  Request& request = *made;
  requests_.emplace(payload.stream, std::move(made));
  if (request.body.size() == request.body_size) start(request);
  return ok();
}

void IncomingLink::start(Request& request) {
  request.started = true;
  request.exchange->body = request.body;
  running_.spawn(serve(request));
}

Task<void> IncomingLink::serve(Request& request) {
  ForwardedExchange& exchange = *request.exchange;
  const net::HttpRoute* const route = routes_.find(request.request.path);
  Result<void> served = ok();
  if (route && route->handler) {
    served = co_await route->handler->handle(exchange);
  } else {
    exchange.pass_back(0);
  }
  if (!exchange.answered()) {
    auto sent = send(begin_payload(LinkFrame::cut_off, request.stream));
    discard(sent, "a link that cannot be written to ends");
  }
  requests_.erase(request.stream);
  end_if_idle();
  co_return served;
}

Task<void> IncomingLink::on_frame(wire::FrameType type, std::string_view bytes) {
  const auto payload = type == wire::FrameType::data ? read_payload(bytes) : std::nullopt;
  if (!payload) {
    co_return Error{Code::invalid_request, "a node sent a frame that is none of a link"};
  }
  if (payload->kind == LinkFrame::request) co_return begin(*payload);
  // A request that has just been answered is not there any more.
  const auto found = requests_.find(payload->stream);
  if (found == requests_.end()) co_return ok();
  Request& request = *found->second;
  switch (payload->kind) {
    case LinkFrame::body:
      if (request.started || request.body.size() + payload->rest.size() > request.body_size) {
        co_return Error{Code::invalid_request, "a node sent more than it announced"};
      }
      request.body += payload->rest;
      if (request.body.size() == request.body_size) start(request);
      break;
    case LinkFrame::left:
      request.exchange->on_left();
      if (!request.started) requests_.erase(found);
      break;
    case LinkFrame::stop:
      request.idle.request();
      break;
    case LinkFrame::credit:
      request.exchange->on_credit(read_number(payload->rest).value_or(0));
      break;
    default:
      co_return Error{Code::invalid_request, "a node sent a frame of a response"};
  }
  co_return ok();
}

}  // namespace patchbay::cluster
