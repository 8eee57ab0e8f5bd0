#include "cluster/outgoing_link.h"

#include <fmt/format.h>

#include <array>

#include "core/discard.h"
#include "transport/wire/url.h"

namespace patchbay::cluster {
namespace {

using Outcome = Forwarded::Outcome;

// How often the credentials of a client are checked again while its stream is open.
constexpr auto kCheckCaller = std::chrono::seconds(5);

// The other node does not need them: the client is authenticated, and the body comes separately.
constexpr std::array<std::string_view, 8> kLeftOut{
    "authorization",     "cookie",  "connection",         "content-length", "expect",
    "transfer-encoding", "upgrade", "proxy-authorization"};

bool is_left_out(std::string_view name) {
  std::string lower(name);
  for (char& byte : lower) {
    if (byte >= 'A' && byte <= 'Z') byte = static_cast<char>(byte | 0x20);
  }
  return std::ranges::find(kLeftOut, lower) != kLeftOut.end();
}

std::string head_of(const net::HttpRequest& request) {
  std::string head = fmt::format("{} {} HTTP/1.1\r\n", request.method, request.target);
  for (const auto& field : request.fields) {
    if (!is_left_out(field.name)) head += fmt::format("{}: {}\r\n", field.name, field.value);
  }
  return head + "\r\n";
}

}  // namespace

// One request and its response. What arrives waits here until its client has taken what came
// before; the other node sends no more than kWindow bytes ahead.
class OutgoingLink::Stream final : net::Source::Hangup, Stop::Hook {
 public:
  Stream(OutgoingLink& link, net::HttpExchange& exchange)
      : link_(link), exchange_(exchange), number_(link.next_++) {
    link_.streams_.emplace(number_, this);
  }
  ~Stream() override {
    exchange_.watch_hangup(nullptr);
    link_.streams_.erase(number_);
  }

  std::uint32_t number() const { return number_; }
  Task<Forwarded> run();

  void on_payload(const Payload& payload) {
    arrived_.push_back({payload.kind, std::string(payload.rest)});
    wake();
  }
  void on_link_end() {
    link_ended_ = true;
    wake();
  }

 private:
  struct Arrived {
    LinkFrame kind;
    std::string rest;
  };

  Task<Arrived> next();
  // True: the response is complete.
  Task<bool> take(const Arrived& arrived);
  Task<bool> take_head(const HeadFrame& head);
  Task<bool> take_data(std::string_view data);
  Task<void> fail();
  void report(LinkFrame kind);
  void give_credit(std::size_t bytes);
  void wake() {
    if (waiting_) waiting_->deliver(ok());
  }
  void on_hangup() override {
    left_ = true;
    report(LinkFrame::left);
  }
  void on_stop() override { report(LinkFrame::stop); }

  OutgoingLink& link_;
  net::HttpExchange& exchange_;
  const std::uint32_t number_;
  std::deque<Arrived> arrived_;
  OneShot<void>* waiting_ = nullptr;
  bool link_ended_ = false;
  bool left_ = false;   // The client has disconnected.
  bool began_ = false;  // The response.
  // Of a response that is no stream.
  HeadFrame head_;
  std::string head_text_;
  std::string body_;
};

void OutgoingLink::Stream::report(LinkFrame kind) {
  if (link_ended_) return;
  auto sent = link_.send(begin_payload(kind, number_));
  discard(sent, "a link that cannot be written to ends, which ends this stream");
}

void OutgoingLink::Stream::give_credit(std::size_t bytes) {
  if (link_ended_ || bytes == 0) return;
  std::string payload = begin_payload(LinkFrame::credit, number_);
  append(payload, std::uint64_t{bytes});
  auto sent = link_.send(payload);
  discard(sent, "a link that cannot be written to ends, which ends this stream");
}

Task<OutgoingLink::Stream::Arrived> OutgoingLink::Stream::next() {
  while (arrived_.empty()) {
    if (link_ended_) co_return link_.why_;
    OneShot<void> woken;
    waiting_ = &woken;
    auto waited = co_await woken.wait(here().now() + kCheckCaller);
    waiting_ = nullptr;
    if (!waited && waited.error().code != Code::timeout) {
      report(LinkFrame::left);
      co_return waited.error();
    }
    if (exchange_.streaming() && !left_ && !still_stands(*exchange_.caller)) {
      report(LinkFrame::left);
      co_return Error{Code::unauthenticated, "the credentials are not valid any more"};
    }
  }
  Arrived first = std::move(arrived_.front());
  arrived_.pop_front();
  co_return first;
}

Task<Forwarded> OutgoingLink::Stream::run() {
  auto sent = co_await link_.send_request(exchange_, number_);
  if (!sent) co_return Forwarded{Outcome::unsent, 0, sent.error()};
  exchange_.watch_hangup(this);
  if (exchange_.idle.requested()) {
    on_stop();
  } else {
    link(exchange_.idle);
  }
  for (;;) {
    auto arrived = co_await next();
    if (!arrived) {
      if (arrived.error().code == Code::cancelled) co_return arrived.error();
      if (!began_) co_return Forwarded{Outcome::lost, 0, arrived.error()};
      auto failed = co_await fail();
      discard(failed, "the client notices that the response is incomplete");
      co_return Forwarded{};
    }
    if (arrived->kind == LinkFrame::refused) {
      co_return Forwarded{Outcome::refused, read_number(arrived->rest).value_or(0), {}};
    }
    auto done = co_await take(*arrived);
    if (!done) co_return done.error();
    if (*done) co_return Forwarded{};
  }
}

Task<void> OutgoingLink::Stream::fail() {
  if (!exchange_.streaming()) {
    co_return co_await exchange_.answer(
        502, "text/plain", {"the node that answers this request has ended; it may have run\n"});
  }
  exchange_.cut_off();
  co_return co_await exchange_.end_stream();
}

Task<bool> OutgoingLink::Stream::take(const Arrived& arrived) {
  if (arrived.kind == LinkFrame::head) {
    const auto head = read_head(arrived.rest);
    if (!head) co_return Error{Code::internal, "a node sent a response that cannot be read"};
    co_return co_await take_head(*head);
  }
  if (arrived.kind == LinkFrame::data) co_return co_await take_data(arrived.rest);
  if (arrived.kind == LinkFrame::cut_off) exchange_.cut_off();
  if (exchange_.streaming()) {
    auto ended = co_await exchange_.end_stream();
    discard(ended, "the client has what it wanted to read");
  }
  co_return true;
}

Task<bool> OutgoingLink::Stream::take_head(const HeadFrame& head) {
  began_ = true;
  if (head.streams) {
    exchange_.begin_stream(head.fields);
    co_return co_await take_data(head.body);
  }
  if (head.body.size() >= head.body_size) {
    auto answered = co_await exchange_.answer(head.status, head.type, {head.body}, head.fields);
    if (!answered) co_return answered.error();
    co_return true;
  }
  head_ = {.status = head.status, .body_size = head.body_size};
  head_text_ = std::string(head.type) + '\n' + std::string(head.fields);
  co_return co_await take_data(head.body);
}

Task<bool> OutgoingLink::Stream::take_data(std::string_view data) {
  if (exchange_.streaming()) {
    if (!left_ && !data.empty()) {
      auto put = exchange_.put_answer({data});
      auto room = put ? co_await exchange_.room() : Result<void>(put.error());
      if (!room && room.error().code == Code::cancelled) co_return room.error();
      // It reads too slowly, or has gone.
      if (!room && !left_) on_hangup();
    }
    give_credit(data.size());
    co_return false;
  }
  body_ += data;
  give_credit(data.size());
  if (body_.size() < head_.body_size) co_return false;
  const std::string_view text = head_text_;
  const auto line = text.find('\n');
  auto answered =
      co_await exchange_.answer(head_.status, text.substr(0, line), {body_}, text.substr(line + 1));
  if (!answered) co_return answered.error();
  co_return true;
}

Task<void> OutgoingLink::connect() {
  auto url = transport::parse_wire_url("tcps://" + member_.address);
  if (!url) co_return url.error();
  auto stream =
      co_await net::connect_stream(*url, settings_.tls, here().now() + settings_.connect_time);
  if (!stream) co_return stream.error();
  stream_ = *std::move(stream);
  transport::FrameSettings frames;
  frames.rules.header = wire::Header::seven;
  frames.writes = wire::Header::seven;
  frames.outbox = settings_.buffer;
  frames.ping = settings_.silence / 2;
  frames.pong = settings_.silence / 2;
  frames_ = std::make_unique<transport::FrameConnection>(*stream_, frames);
  co_return ok();
}

Task<void> OutgoingLink::serve() {
  auto served = co_await connect();
  if (served) {
    for (auto* const waiting : connecting_) waiting->deliver(ok());
    served = co_await frames_->read(*this);
  }
  end_all(served ? Error{Code::unavailable, "the node has closed the connection"} : served.error());
  co_return served;
}

void OutgoingLink::end_all(const Error& why) {
  ended_ = true;
  why_ = {Code::unavailable,
          fmt::format("the node {} at {} is gone: {}", member_.name, member_.address, why.message)};
  for (auto* const waiting : connecting_) waiting->deliver(why_);
  for (const auto& [number, stream] : streams_) stream->on_link_end();
}

Task<void> OutgoingLink::ready() {
  if (ended_) co_return why_;
  if (frames_) co_return ok();
  OneShot<void> connected;
  connecting_.push_back(&connected);
  auto waited = co_await connected.wait();
  std::erase(connecting_, &connected);
  co_return waited;
}

Result<void> OutgoingLink::send(std::string_view payload) {
  return frames_->send(wire::FrameType::data, payload);
}

Task<void> OutgoingLink::send_request(net::HttpExchange& exchange, std::uint32_t stream) {
  const std::string caller = text_of(*exchange.caller);
  const std::string head = head_of(exchange.request);
  std::string payload = begin_payload(LinkFrame::request, stream);
  append(payload, RequestFrame{.run = member_.run,
                               .body_size = exchange.body.size(),
                               .secure = exchange.secure(),
                               .caller = caller,
                               .ip = exchange.peer.ip,
                               .head = head,
                               .body = exchange.body.substr(0, kPiece)});
  auto sent = send(payload);
  // Until its last piece has arrived, nothing of it runs.
  for (std::size_t at = kPiece; sent && at < exchange.body.size(); at += kPiece) {
    auto room = co_await frames_->outbox().room(settings_.silence);
    if (!room) co_return room;
    sent = send(begin_payload(LinkFrame::body, stream) +
                std::string(exchange.body.substr(at, kPiece)));
  }
  co_return sent;
}

Task<Forwarded> OutgoingLink::forward(net::HttpExchange& exchange) {
  auto connected = co_await ready();
  if (!connected) {
    if (connected.error().code == Code::cancelled) co_return connected.error();
    co_return Forwarded{Outcome::unsent, 0, connected.error()};
  }
  if (ended_) co_return Forwarded{Outcome::unsent, 0, why_};
  if (streams_.size() >= settings_.streams) {
    co_return Forwarded{
        Outcome::unsent,
        0,
        {Code::overloaded, fmt::format("{} requests wait for another node (cluster.max_forwarded)",
                                       settings_.streams)}};
  }
  Stream stream(*this, exchange);
  co_return co_await stream.run();
}

Task<void> OutgoingLink::on_frame(wire::FrameType type, std::string_view payload) {
  const auto read = type == wire::FrameType::data ? read_payload(payload) : std::nullopt;
  if (!read) co_return Error{Code::invalid_request, "a node sent a frame that is none of a link"};
  const auto found = streams_.find(read->stream);
  if (found != streams_.end()) found->second->on_payload(*read);
  co_return ok();
}

}  // namespace patchbay::cluster
