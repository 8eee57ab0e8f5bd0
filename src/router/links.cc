// The side of the Router that faces the gateway: its connections, and what comes over them.
#include <fmt/format.h>

#include <algorithm>

#include "gateway/server.h"
#include "json/read.h"
#include "json/text.h"
#include "json/write.h"
#include "mcp/compose.h"
#include "observe/log.h"
#include "router/router.h"

namespace patchbay::app {
namespace {

constexpr int kMostSent = 2;  // Of one request that may be asked twice.
constexpr auto kAttend = std::chrono::milliseconds(250);

bool is_refused(const Error& error) {
  return error.code == Code::unauthenticated || error.code == Code::forbidden;
}

// The gateway does not know (any more) who asks, and has done nothing.
bool says_unauthenticated(const mcp::Message& answer) {
  const auto code = answer.error.empty() ? std::nullopt : json::member(answer.error, "code");
  return code && json::as_int(*code) == info(Code::unauthenticated).rpc;
}

Error lost(const Error& why) {
  return {Code::upstream_failed,
          fmt::format("the connection to the gateway broke before it answered ({}); whether the "
                      "request was carried out is not known",
                      why.message)};
}

}  // namespace

// ---- Connections

void Router::add_link() {
  RouterLink::Owner& owner = *this;
  places_.push_back({std::make_unique<RouterLink>(next_link_++, settings_, token_, owner)});
  places_.back().used = here().now();
  places_.back().link->start();
}

Router::Place* Router::place_of(const RouterLink* link) {
  const auto found =
      std::ranges::find_if(places_, [&](const Place& place) { return place.link.get() == link; });
  return found == places_.end() ? nullptr : &*found;
}

// The connection with the least to do; null if none is there that will do.
Router::Place* Router::choose(std::string_view method) {
  if (is_for_primary(method)) return places_.front().link->up() ? &places_.front() : nullptr;
  Place* best = nullptr;
  for (auto& place : places_) {
    if (place.link->up() && (!best || place.running < best->running)) best = &place;
  }
  return best;
}

// One more connection, once all have enough to do.
void Router::grow() {
  if (initializing_ || places_.size() >= static_cast<std::size_t>(settings_.connections)) return;
  const auto busy = [&](const Place& place) {
    return place.link->up() && place.running >= static_cast<std::size_t>(settings_.per_connection);
  };
  if (std::ranges::all_of(places_, busy)) add_link();
}

// Connections beyond the first that have had nothing to do for long go.
void Router::shrink() {
  for (std::size_t i = places_.size(); i-- > 1;) {
    Place& place = places_[i];
    if (place.running > 0 || here().now() - place.used < settings_.idle) continue;
    auto link = std::move(place.link);
    places_.erase(places_.begin() + static_cast<std::ptrdiff_t>(i));
    scope_.spawn(let_go(std::move(link)));
  }
}

Task<void> Router::let_go(std::unique_ptr<RouterLink> link) { co_return co_await link->stop(); }

// Sees to what has waited for too long, and to connections that nobody needs.
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

// A new connection hears of the session that the client has had so far.
Task<void> Router::open(RouterLink& link) {
  if (!session_.begun()) co_return ok();
  auto shaken = co_await link.ask("initialize", session_.initialize());
  if (!shaken) co_return shaken.error();
  if (shaken->is_error) {
    co_return Error{Code::unavailable, "the gateway does not take up the session: " + shaken->body};
  }
  if (!session_.same_revision(shaken->body)) {
    log::Line(log::Level::warn, "the gateway speaks another revision than before");
  }
  if (session_.initialized()) {
    auto told = link.send(mcp::notification("notifications/initialized", ""));
    if (!told) co_return told;
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
    // Whatever has changed meanwhile, nobody has told the client.
    for (const auto& notification : session_.list_changes()) {
      notify_client(mcp::notification(notification, ""));
    }
  }
  flush();
}

void Router::on_down(RouterLink& link, const Error& why) {
  if (why.code != Code::cancelled) unreachable_ = why;
  std::vector<std::string> again;
  for (auto asked = open_.begin(); asked != open_.end();) {
    const auto one = asked++;
    if (one->second.link != &link) continue;
    if (Place* const place = place_of(&link)) --place->running;
    one->second.link = nullptr;
    if (may_be_repeated(one->second.method) && one->second.sent < kMostSent) {
      again.push_back(one->first);
    } else {
      fail(one, lost(why));
    }
  }
  for (const auto& id : again) wait_for_link(open_.find(id), true);
  drop_questions(link);
  const bool any_up =
      std::ranges::any_of(places_, [](const Place& place) { return place.link->up(); });
  if (is_refused(why) && !any_up) {
    fail_waiting({why.code, fmt::format("the gateway refuses the router: {}", why.message)});
  } else if (any_up) {
    flush();
  }
}

// ---- What the gateway says

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

// An answer to nothing that is open, or that went over another connection, is no answer.
void Router::on_answer(RouterLink& link, const mcp::Message& message, std::string_view text) {
  const auto asked = open_.find(message.id);
  if (asked == open_.end() || asked->second.link != &link) return;
  if (says_unauthenticated(message) && asked->second.sent < kMostSent && token_.refused()) {
    if (Place* const place = place_of(&link)) --place->running;
    asked->second.link = nullptr;
    wait_for_link(asked, true);
    return link.renew({Code::unavailable, "the token is not good any more"});
  }
  if (!message.result.empty()) {
    const auto params = json::member(asked->second.text, "params").value_or("{}");
    session_.note(asked->second.method, params, message.result);
    if (asked->second.method == "logging/setLevel") spread_level(params);
  }
  answer(asked, std::string(text));
}

// The level is for all connections, but only one was asked.
void Router::spread_level(std::string_view params) {
  for (auto& place : places_) {
    if (is_primary(*place.link) || !place.link->up()) continue;
    auto sent = place.link->send(mcp::request("\"router-level\"", "logging/setLevel", params));
    (void)sent;  // If it is lost, the next one hears it when it is opened. Its answer is nobody's.
  }
}

void Router::on_question(RouterLink& link, const mcp::Message& message, std::string_view text) {
  const std::string id = json::quote(fmt::format("router-{}", next_question_++));
  questions_.emplace(id, Question{&link, std::string(message.id)});
  notify_client(json::with_member(text, "id", id));
}

void Router::on_update(RouterLink& link, const mcp::Message& message, std::string_view text) {
  // What a client without a session has asked to hear names its own request.
  const bool asked_for = message.meta_member(mcp::kMetaSubscription) != nullptr;
  if (is_for_all(message.method) && !asked_for && !is_primary(link)) return;
  if (message.method != "notifications/cancelled") return notify_client(std::string(text));
  const auto id = gateway::cancelled_id(message);
  const auto question = std::ranges::find_if(questions_, [&](const auto& known) {
    return known.second.link == &link && known.second.id == id;
  });
  if (question == questions_.end()) return;
  notify_client(mcp::cancelled(question->first, "the gateway does not want to know any more"));
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
