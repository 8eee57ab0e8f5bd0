// The gateway side of the Router: its connections, and the messages on them.
#include <fmt/format.h>

#include <algorithm>

#include "core/discard.h"
#include "gateway/server.h"
#include "json/read.h"
#include "json/text.h"
#include "json/write.h"
#include "mcp/compose.h"
#include "mcp/methods.h"
#include "observe/log.h"
#include "router/router.h"

namespace patchbay::app {
namespace {

constexpr int kMostSent = 2;  // How often an idempotent request is sent.
constexpr auto kAttend = std::chrono::milliseconds(250);
constexpr std::chrono::seconds kLongestWait =
    std::chrono::hours(24);  // That a gateway may ask for.
constexpr auto kShortestWait = std::chrono::milliseconds(10);
constexpr auto kRateNoteInterval = std::chrono::seconds(10);

bool is_refused(const Error& error) {
  return error.code == Code::unauthenticated || error.code == Code::forbidden;
}

// The gateway does not know the caller (any more), and has not executed the request.
bool is_unauthenticated(const mcp::Message& answer) {
  const auto code = answer.error.empty() ? std::nullopt : json::member(answer.error, "code");
  return code && json::as_int(*code) == info(Code::unauthenticated).rpc;
}

// The time after which the gateway accepts a request that it refused because of its rate limit; it
// has not executed it. None: the refusal has another reason.
std::optional<std::chrono::milliseconds> retry_after(const mcp::Message& answer) {
  const auto code = answer.error.empty() ? std::nullopt : json::member(answer.error, "code");
  if (!code || json::as_int(*code) != info(Code::rate_limited).rpc) return std::nullopt;
  const auto data = json::member(answer.error, "data");
  if (!data) return std::nullopt;
  if (const auto ms = json::member(*data, "retryAfterMs")) {
    if (const auto wait = json::as_int(*ms)) return std::chrono::milliseconds(*wait);
  }
  const auto seconds = json::member(*data, "retry_after");
  const auto wait = seconds ? json::as_int(*seconds) : std::nullopt;
  if (!wait || *wait > kLongestWait.count()) return std::nullopt;
  return std::chrono::seconds(*wait);
}

Error lost(const Error& why) {
  return {Code::upstream_failed,
          fmt::format("the connection to the gateway broke before it answered ({}); whether the "
                      "request was executed is unknown",
                      why.message)};
}

}  // namespace

// ---- Connections

void Router::add_link() {
  RouterLink::Owner& owner = *this;
  slots_.push_back({std::make_unique<RouterLink>(next_link_++, settings_, token_, owner)});
  slots_.back().used = here().now();
  slots_.back().link->start();
}

Router::Slot* Router::slot_of(const RouterLink* link) {
  const auto found =
      std::ranges::find_if(slots_, [&](const Slot& slot) { return slot.link.get() == link; });
  return found == slots_.end() ? nullptr : &*found;
}

// The connection with the fewest requests; null if no suitable one is up.
Router::Slot* Router::choose(std::string_view method) {
  if (is_for_primary(method)) return slots_.front().link->up() ? &slots_.front() : nullptr;
  Slot* best = nullptr;
  for (auto& slot : slots_) {
    if (slot.link->up() && (!best || slot.running < best->running)) best = &slot;
  }
  return best;
}

// Adds a connection once all are busy.
void Router::grow() {
  if (initializing_ || slots_.size() >= static_cast<std::size_t>(settings_.connections)) return;
  const auto busy = [&](const Slot& slot) {
    return slot.link->up() && slot.running >= static_cast<std::size_t>(settings_.per_connection);
  };
  if (std::ranges::all_of(slots_, busy)) add_link();
}

// Closes additional connections that were idle for long.
void Router::shrink() {
  for (std::size_t i = slots_.size(); i-- > 1;) {
    Slot& slot = slots_[i];
    if (slot.running > 0 || here().now() - slot.used < settings_.idle) continue;
    auto link = std::move(slot.link);
    slots_.erase(slots_.begin() + static_cast<std::ptrdiff_t>(i));
    scope_.spawn(stop_link(std::move(link)));
  }
}

Task<void> Router::stop_link(std::unique_ptr<RouterLink> link) { co_return co_await link->stop(); }

// Fails requests that have waited too long, and closes unused connections.
Task<void> Router::attend() {
  for (;;) {
    auto slept = co_await sleep_until(here().now() + kAttend);
    if (!slept) co_return slept;
    const auto late = [&](const std::string& id) {
      return open_.find(id)->second.by <= here().now();
    };
    while (!queue_.empty()) {
      const auto found = std::ranges::find_if(queue_, late);
      if (found == queue_.end()) break;
      fail(open_.find(*found), {Code::unavailable, fmt::format("the gateway cannot be reached: {}",
                                                               unreachable_.message)});
    }
    shrink();
    token_.attend();
  }
}

// Restores the client's session on a new connection.
Task<void> Router::open(RouterLink& link) {
  if (!session_.begun()) co_return ok();
  auto shaken = co_await link.ask("initialize", session_.initialize());
  if (!shaken) co_return shaken.error();
  if (shaken->is_error) {
    co_return Error{Code::unavailable, "the gateway does not resume the session: " + shaken->body};
  }
  if (!session_.same_revision(shaken->body)) {
    log::Line(log::Level::warn, "gateway changed its revision");
  }
  if (session_.initialized()) {
    auto notified = link.send(mcp::notification("notifications/initialized", ""));
    if (!notified) co_return notified;
  }
  const auto repeated = session_.repeated(is_primary(link));
  for (const auto& [method, params] : repeated) {
    auto answered = co_await link.ask(method, params);
    if (!answered) co_return answered.error();
  }
  co_return ok();
}

void Router::on_up(RouterLink& link) {
  if (is_primary(link) && session_.initialized()) {
    // The client has missed any list changes meanwhile.
    for (const auto& notification : session_.list_changes()) {
      notify_client(mcp::notification(notification, ""));
    }
  }
  flush();
}

void Router::on_down(RouterLink& link, const Error& why) {
  if (why.code != Code::cancelled) unreachable_ = why;
  std::vector<std::string> again;
  for (auto pending = open_.begin(); pending != open_.end();) {
    const auto one = pending++;
    if (one->second.link != &link) continue;
    if (Slot* const slot = slot_of(&link)) --slot->running;
    one->second.link = nullptr;
    if (may_be_repeated(one->second.method) && one->second.sent < kMostSent) {
      again.push_back(one->first);
    } else {
      fail(one, lost(why));
    }
  }
  for (const auto& id : again) wait_for_link(open_.find(id), true);
  drop_questions(link);
  const bool any_up = std::ranges::any_of(slots_, [](const Slot& slot) { return slot.link->up(); });
  if (is_refused(why) && !any_up) {
    fail_waiting({why.code, fmt::format("the gateway refuses the router: {}", why.message)});
  } else if (any_up) {
    flush();
  }
}

// ---- Messages of the gateway

void Router::on_message(RouterLink& link, std::string_view text) {
  mcp::Message message;
  if (auto parsed = mcp::parse(text, message); !parsed) {
    log::Line(log::Level::warn, "not a message of the gateway").add("why", parsed.error().message);
    return;
  }
  switch (message.kind) {
    case mcp::Message::Kind::response:
      return on_answer(link, message, text);
    case mcp::Message::Kind::request:
      return on_question(link, message, text);
    case mcp::Message::Kind::notification:
      return on_update(link, message, text);
  }
}

// A response that matches no request of this connection is ignored.
void Router::on_answer(RouterLink& link, const mcp::Message& message, std::string_view text) {
  const auto pending = open_.find(message.id);
  if (pending == open_.end() || pending->second.link != &link) return;
  if (is_unauthenticated(message) && pending->second.sent < kMostSent && token_.refused()) {
    if (Slot* const slot = slot_of(&link)) --slot->running;
    pending->second.link = nullptr;
    wait_for_link(pending, true);
    return link.renew({Code::unavailable, "the token is no longer valid"});
  }
  if (wait_for_rate(pending, message)) return;
  if (!message.result.empty()) {
    const auto params = json::member(pending->second.text, "params").value_or("{}");
    session_.note(pending->second.method, params, message.result);
    if (mcp::local_of(pending->second.method) == mcp::Local::set_level) spread_level(params);
  }
  answer(pending, std::string(text));
}

// A request that exceeds the rate of the gateway waits until the gateway accepts it, for at most
// queue_timeout in total. False: it does not wait.
bool Router::wait_for_rate(Open::iterator pending, const mcp::Message& refusal) {
  const auto wait = retry_after(refusal);
  if (!wait || *wait > kLongestWait) return false;
  Pending& waiting = pending->second;
  if (waiting.by == kNever) waiting.by = here().now() + settings_.queue_time;
  const Deadline time = here().now() + std::max(*wait, std::chrono::milliseconds(kShortestWait));
  if (time > waiting.by) return false;
  if (Slot* const slot = slot_of(waiting.link)) --slot->running;
  waiting.link = nullptr;
  --waiting.sent;  // The gateway has not accepted it.
  waiting.not_before = time;
  note_rate(*wait);
  scope_.spawn(send_later(pending->first, time));
  return true;
}

// All waiting requests are refused repeatedly: one line is enough for all of them.
void Router::note_rate(std::chrono::milliseconds wait) {
  if (here().now() < next_rate_note_) return;
  next_rate_note_ = here().now() + kRateNoteInterval;
  log::Line(log::Level::warn, "the gateway limits the rate of requests")
      .add("wait_ms", std::int64_t{wait.count()})
      .add("hint", "raise wire.rate_limiting.default_limit of the gateway");
}

Task<void> Router::send_later(std::string id, Deadline time) {
  auto slept = co_await sleep_until(time);
  if (!slept) co_return slept;
  const auto pending = open_.find(id);
  // It may have been cancelled meanwhile, and another may have its id.
  if (pending != open_.end() && !pending->second.link && pending->second.not_before == time) {
    dispatch(pending);
  }
  co_return ok();
}

// The level applies to all connections, but only one received the request.
void Router::spread_level(std::string_view params) {
  for (auto& slot : slots_) {
    if (is_primary(*slot.link) || !slot.link->up()) continue;
    auto sent = slot.link->send(mcp::request("\"router-level\"", "logging/setLevel", params));
    discard(sent, "if it is lost, opening the next one repeats it. The response is ignored");
  }
}

void Router::on_question(RouterLink& link, const mcp::Message& message, std::string_view text) {
  const std::string id = json::quote(fmt::format("router-{}", next_question_++));
  questions_.emplace(id, Question{&link, std::string(message.id)});
  notify_client(json::with_member(text, "id", id));
}

void Router::on_update(RouterLink& link, const mcp::Message& message, std::string_view text) {
  // A notification of a subscription names the request of the client.
  const bool asked_for = message.meta_member(mcp::kMetaSubscription) != nullptr;
  if (is_for_all(message.method) && !asked_for && !is_primary(link)) return;
  if (message.method != "notifications/cancelled") return notify_client(std::string(text));
  const auto id = gateway::cancelled_id(message);
  const auto question = std::ranges::find_if(questions_, [&](const auto& known) {
    return known.second.link == &link && known.second.id == id;
  });
  if (question == questions_.end()) return;
  notify_client(mcp::cancelled(question->first, "the gateway cancelled the request"));
  questions_.erase(question);
}

void Router::drop_questions(RouterLink& link) {
  for (auto question = questions_.begin(); question != questions_.end();) {
    if (question->second.link != &link) {
      ++question;
      continue;
    }
    notify_client(mcp::cancelled(question->first, "the connection to the gateway was lost"));
    question = questions_.erase(question);
  }
}

}  // namespace patchbay::app
