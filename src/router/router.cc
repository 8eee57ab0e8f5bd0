#include "router/router.h"

#include <fmt/format.h>

#include <algorithm>

#include "core/discard.h"
#include "gateway/server.h"
#include "json/read.h"
#include "json/text.h"
#include "mcp/compose.h"
#include "mcp/methods.h"
#include "observe/log.h"

namespace patchbay::app {
namespace {

constexpr std::size_t kMostBatch = 100;

}  // namespace

Router::Router(const RouterSettings& settings, net::Fd in, net::Fd out)
    : settings_(settings),
      token_(settings),
      client_(std::move(in), std::move(out), {settings.message.value, settings.outbox.value}) {
  token_.on_renewed([this](const std::string& token) {
    for (auto& slot : slots_) slot.link->use_token(token);
  });
}

Router::~Router() = default;

Task<void> Router::run() {
  add_link();
  scope_.spawn(attend());
  client_.start(*this);
  auto ended = co_await ended_.wait();
  discard(ended, "the client has closed its side, or we are stopped");
  if (!open_.empty()) {
    answered_.reset();
    auto answered = co_await answered_.wait(here().now() + settings_.grace);
    discard(answered, "requests without an answer by now fail below");
  }
  const Error stopping{Code::unavailable, "the router is stopping"};
  while (!open_.empty()) fail(open_.begin(), stopping);
  auto stopped = co_await stop_links();
  discard(stopped, "what the client has been sent is what counts");
  auto flushed = co_await client_.flushed(settings_.grace);
  client_.close();
  co_return flushed;
}

Task<void> Router::stop_links() {
  scope_.cancel();
  for (auto& slot : slots_) {
    auto stopped = co_await slot.link->stop();
    discard(stopped, "a link always stops");
  }
  auto ended = co_await token_.stop();
  if (!ended) co_return ended;
  co_return co_await scope_.drain(kNever);
}

// ---- Messages of the client

void Router::on_closed(const std::string&) { end(); }

void Router::on_message(std::string_view text, std::uint64_t /*cause*/) {
  if (mcp::is_batch(text)) {
    take_batch(text);
  } else {
    take(text, nullptr);
  }
}

void Router::take_batch(std::string_view text) {
  auto messages = mcp::split_batch(text);
  if (messages && (messages->empty() || messages->size() > kMostBatch)) {
    messages =
        Error{Code::invalid_request, fmt::format("a batch has 1 to {} messages", kMostBatch)};
  }
  if (!messages) return notify_client(mcp::response("", mcp::error_reply(messages.error())));
  const auto batch = std::make_shared<Batch>();
  ++batch->left;  // Until the whole batch is read.
  for (const auto message : *messages) take(message, batch);
  leave_batch(*batch, "");
}

// Adds the answer to one request of a batch; the last one sends the batch.
void Router::leave_batch(Batch& batch, std::string_view answer) {
  if (!answer.empty()) {
    batch.answers += batch.answers.empty() ? '[' : ',';
    batch.answers += answer;
  }
  if (--batch.left == 0 && !batch.answers.empty()) notify_client(batch.answers + "]");
}

void Router::take(std::string_view text, const std::shared_ptr<Batch>& batch) {
  mcp::Message message;
  auto parsed = mcp::parse(text, message);
  if (!parsed) {
    if (batch) ++batch->left;
    return reply(batch, mcp::response(message.id, mcp::error_reply(parsed.error())));
  }
  switch (message.kind) {
    case mcp::Message::Kind::request:
      return take_request(message, text, batch);
    case mcp::Message::Kind::notification:
      return take_notification(message, text);
    case mcp::Message::Kind::response:
      return take_response(message, text);
  }
}

void Router::take_request(const mcp::Message& message, std::string_view text,
                          const std::shared_ptr<Batch>& batch) {
  if (batch) ++batch->left;
  Error refused{Code::invalid_request, ""};
  if (open_.contains(message.id)) {
    refused.message = "a request with this id is already running";
  } else if (open_.size() >= static_cast<std::size_t>(settings_.requests)) {
    refused = {Code::overloaded, fmt::format("{} requests are running already", open_.size())};
  }
  if (!refused.message.empty()) {
    return reply(batch, mcp::response(message.id, mcp::error_reply(refused)));
  }
  if (mcp::local_of(message.method) == mcp::Local::initialize) initializing_ = true;
  Pending pending{std::string(text), std::string(message.method), batch};
  const auto added = open_.emplace(std::string(message.id), std::move(pending)).first;
  dispatch(added);
}

void Router::take_notification(const mcp::Message& message, std::string_view text) {
  if (mcp::local_of(message.method) == mcp::Local::cancelled) return take_cancelled(message, text);
  const bool initialized = message.method == "notifications/initialized";
  if (initialized) session_.note_initialized();
  for (auto& slot : slots_) {
    if (!slot.link->up()) continue;  // A new connection restores it when it is opened.
    auto sent = slot.link->send(std::string(text));
    discard(sent, "if the link is lost, it reports that itself");
    if (message.method == "notifications/progress") break;
  }
}

// A cancelled request gets no answer.
void Router::take_cancelled(const mcp::Message& message, std::string_view text) {
  const auto pending = open_.find(gateway::cancelled_id(message));
  if (pending == open_.end()) return;
  if (RouterLink* const link = pending->second.link) {
    auto sent = link->send(std::string(text));
    discard(sent, "if the link is lost, so is the request");
  }
  answer(pending, "");
}

void Router::take_response(const mcp::Message& message, std::string_view text) {
  const auto question = questions_.find(message.id);
  if (question == questions_.end()) return;
  auto sent = question->second.link->send(json::with_member(text, "id", question->second.id));
  discard(sent, "if the link is lost, nobody waits for the answer");
  questions_.erase(question);
}

void Router::notify_client(std::string text) {
  auto sent = client_.send(std::move(text));
  if (!sent)
    log::Line(log::Level::error, "message to the client lost").add("why", sent.error().message);
}

void Router::reply(const std::shared_ptr<Batch>& batch, std::string text) {
  if (batch) {
    leave_batch(*batch, text);
  } else {
    notify_client(std::move(text));
  }
}

// ---- Pending requests

void Router::dispatch(Open::iterator pending) {
  Slot* const slot = choose(pending->second.method);
  if (!slot) return wait_for_link(pending, false);
  auto sent = slot->link->send(pending->second.text);
  if (!sent && sent.error().code == Code::unavailable) return wait_for_link(pending, false);
  if (!sent) return fail(pending, sent.error());
  pending->second.link = slot->link.get();
  ++pending->second.sent;
  ++slot->running;
  slot->used = here().now();
  grow();
}

// A request that was already sent waits before the others.
void Router::wait_for_link(Open::iterator pending, bool first) {
  if (!first && queue_.size() >= static_cast<std::size_t>(settings_.queue)) {
    const Error full{Code::overloaded,
                     fmt::format("the gateway cannot be reached ({}), and {} requests are waiting",
                                 unreachable_.message, queue_.size())};
    return fail(pending, full);
  }
  if (pending->second.by == kNever) pending->second.by = here().now() + settings_.queue_time;
  if (first) {
    queue_.push_front(pending->first);
  } else {
    queue_.push_back(pending->first);
  }
}

// Sends waiting requests as far as there are links.
void Router::flush() {
  std::deque<std::string> waiting;
  waiting.swap(queue_);
  for (const auto& id : waiting) {
    const auto pending = open_.find(id);
    if (pending != open_.end()) dispatch(pending);
  }
}

void Router::answer(Open::iterator pending, std::string text) {
  Pending done = std::move(pending->second);
  if (mcp::local_of(done.method) == mcp::Local::initialize) initializing_ = false;
  if (Slot* const slot = slot_of(done.link)) --slot->running;
  if (!done.link) std::erase(queue_, pending->first);
  open_.erase(pending);
  if (done.batch || !text.empty()) reply(done.batch, std::move(text));
  if (open_.empty()) answered_.deliver(ok());
}

void Router::fail(Open::iterator pending, const Error& why) {
  const std::string text = mcp::response(pending->first, mcp::error_reply(why));
  answer(pending, text);
}

void Router::fail_waiting(const Error& why) {
  std::deque<std::string> waiting;
  waiting.swap(queue_);
  for (const auto& id : waiting) {
    const auto pending = open_.find(id);
    if (pending != open_.end()) fail(pending, why);
  }
}

}  // namespace patchbay::app
