#include "agent/connection.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>

#include <algorithm>
#include <csignal>

#include "core/discard.h"
#include "json/text.h"

namespace patchbay::agent {
namespace {

constexpr auto kFlushTimeout = std::chrono::seconds(30);  // For the last answers to be sent.
constexpr std::size_t kMaxNameInMessage = 200;            // Bytes of an unknown name.

net::Fd non_blocking(net::Fd fd) {
  ::fcntl(fd.get(), F_SETFL, ::fcntl(fd.get(), F_GETFL) | O_NONBLOCK);
  return fd;
}

}  // namespace

// Detects that a peer has disconnected, which is more than the end of its input.
class Connection::Watch final : net::Source::Waiter {
 public:
  Watch(Stop& gone, net::Source& source) : gone_(gone), source_(source) { on_ready(); }
  ~Watch() { source_.forget(*this); }

 private:
  void on_ready() override {
    pollfd look{source_.fd(), 0, 0};
    if (::poll(&look, 1, 0) > 0) return gone_.request();
    source_.wait_readable(*this);
  }

  Stop& gone_;
  net::Source& source_;
};

// Does not wait for a token forever.
class Connection::Timeout final : Timer {
 public:
  Timeout(Stop& gone, std::chrono::seconds time) : gone_(gone) {
    here().timers().set(*this, here().now() + time);
  }

 private:
  void on_deadline() override { gone_.request(); }

  Stop& gone_;
};

Connection::Connection(Services& services, net::Fd in, net::Fd out, const Options& options)
    : services_(services),
      linger_(options.linger),
      strict_(options.strict),
      trusted_(options.trusted),
      in_(non_blocking(std::move(in))),
      reader_(in_, services.settings.max_line),
      writer_(out ? out_.emplace(non_blocking(std::move(out))) : in_,
              services.settings.max_outbox) {
  writer_.on_broken([this] { gone_.request(); });
}

Connection::~Connection() = default;

Task<void> Connection::run() {
  const StopLink link(co_await current_stop(), gone_);
  if (out_) watch_ = std::make_unique<Watch>(gone_, *out_);
  if (!trusted_) {
    timeout_ =
        std::make_unique<Timeout>(gone_, std::chrono::seconds(services_.settings.token_seconds));
  }
  auto reading = read_requests();
  auto read = co_await reading.with_stop(gone_);
  discard(read, "the end of the input is no failure");
  // Beyond this point no request arrives.
  if (!out_) watch_ = std::make_unique<Watch>(gone_, in_);
  const bool for_ever = linger_ == Clock::duration::max();
  auto answering = requests_.drain(for_ever ? kNever : here().now() + linger_);
  auto answered = co_await answering.with_stop(gone_);
  if (!answered) {
    requests_.cancel();
    auto ending = requests_.drain(kNever);
    answered = co_await ending.shielded();
  }
  auto flushing = writer_.flushed(here().now() + kFlushTimeout);
  auto flushed = co_await flushing.with_stop(gone_);
  watch_.reset();
  kill_bound();
  co_return flushed;
}

void Connection::bind(const BackgroundProcess& process) {
  std::erase_if(bound_, [this](std::uint64_t number) {
    const auto earlier = services_.background.find(number);
    return !earlier || !earlier->running();
  });
  bound_.push_back(process.number());
}

void Connection::kill_bound() {
  for (const std::uint64_t number : bound_) {
    if (const auto process = services_.background.find(number)) process->signal(SIGKILL);
  }
}

Task<void> Connection::read_requests() {
  while (!refused_) {
    // While a peer does not read answers, no more requests are read.
    auto room = co_await writer_.room();
    if (!room) co_return room.error();
    auto line = co_await reader_.next();
    if (!line) co_return line.error();
    if (!std::exchange(greeted_, true) && greets(line->text)) continue;
    auto incoming = read(*line);
    const bool is_foreign = strict_ && !incoming.is_object;
    auto admitted = co_await admit(std::move(incoming));
    if (!admitted) co_return admitted.error();
    if (is_foreign) co_return Error{Code::parse_error, "the peer speaks another protocol"};
  }
  co_return Error{Code::unauthenticated, "the token is wrong"};
}

void Connection::set_trusted(bool trusted) {
  trusted_ = trusted;
  refused_ = !trusted;
  timeout_.reset();
}

bool Connection::greets(std::string_view line) {
  const auto port = connect_port(line);
  if (port) writer_.put(fmt::format("OK {}\n", *port));
  return port.has_value();
}

Connection::Incoming Connection::read(const LineReader::Line& line) const {
  Incoming incoming;
  incoming.is_object = line.first == '{';
  if (line.too_long) {
    incoming.request =
        Error{Code::too_large, fmt::format("invalid request: the line is longer than {} bytes",
                                           services_.settings.max_line)};
    return incoming;
  }
  incoming.request = parse_request(line.text, incoming.id);
  if (!incoming.request) {
    if (incoming.request.error().code == Code::parse_error) incoming.is_object = false;
    return incoming;
  }
  const std::string& name = incoming.request->method;
  incoming.method = find_method(name);
  if (!trusted_ && !(incoming.method && incoming.method->before_token)) {
    incoming.method = nullptr;
    incoming.request = Error{Code::unauthenticated, "present the token first, with `authenticate`"};
  } else if (!incoming.method) {
    incoming.request = Error{Code::method_not_found,
                             "method not found: " + json::shortened(name, kMaxNameInMessage)};
  }
  return incoming;
}

Task<void> Connection::admit(Incoming incoming) {
  if (incoming.method && incoming.method->out_of_turn) {
    auto result =
        co_await answer(*incoming.method, services_, *this, *incoming.id, incoming.request->params);
    put_answer(incoming.id, std::move(result));
    co_return ok();
  }
  const std::size_t bytes = incoming.request ? incoming.request->params.size() : 0;
  if (concurrent_ && is_full(bytes)) {
    const Error full{Code::overloaded,
                     fmt::format("{} requests are being answered already", active_.size())};
    put_answer(incoming.id, full);
    co_return ok();
  }
  while (is_full(bytes)) {
    OneShot<void> room;
    room_ = &room;
    auto came = co_await room.wait();
    room_ = nullptr;
    if (!came) co_return came.error();
  }
  const bool in_turn = !concurrent_;
  const bool first = !in_turn || std::ranges::none_of(active_, &Active::in_turn);
  active_.emplace_back(incoming.id, bytes, in_turn);
  active_bytes_ += bytes;
  const auto self = std::prev(active_.end());
  if (first) self->turn.deliver(ok());
  requests_.spawn(serve(std::move(incoming), self));
  co_return ok();
}

// One request is always accepted, whatever its size.
bool Connection::is_full(std::size_t more) const {
  const Settings& settings = services_.settings;
  return !active_.empty() &&
         (active_.size() >= settings.max_requests || active_bytes_ + more > 2 * settings.max_line);
}

Task<void> Connection::serve(Incoming incoming, ActiveCall self) {
  const StopLink link(co_await current_stop(), self->stop);
  auto answering = answer_in_turn(incoming, *self);
  auto result = co_await answering.with_stop(self->stop);
  auto room = co_await writer_.room();
  put_answer(incoming.id, std::move(result));
  finished(self);
  co_return room;
}

Task<std::string> Connection::answer_in_turn(const Incoming& incoming, Active& self) {
  auto come = co_await self.turn.wait();
  if (!come) co_return come.error();
  if (!incoming.request) co_return incoming.request.error();
  co_return co_await answer(*incoming.method, services_, *this, *incoming.id,
                            incoming.request->params);
}

void Connection::put_answer(std::optional<std::uint64_t> id, Result<std::string> result) {
  if (result) return writer_.put(success(*id, *std::move(result)));
  const std::string none = services_.settings.null_id ? "null" : "0";
  writer_.put(failure(id ? fmt::format("{}", *id) : none, result.error()));
}

void Connection::finished(ActiveCall self) {
  const bool was_in_turn = self->in_turn;
  active_bytes_ -= self->bytes;
  active_.erase(self);
  if (was_in_turn) {
    const auto next = std::ranges::find_if(active_, &Active::in_turn);
    if (next != active_.end()) next->turn.deliver(ok());
  }
  if (room_) room_->deliver(ok());
}

bool Connection::cancel(std::uint64_t id) {
  bool found = false;
  for (auto& active : active_) {
    if (active.id != id) continue;
    found = true;
    active.stop.request();
  }
  return found;
}

}  // namespace patchbay::agent
