#include "upstreams/mcp_link.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>

#include "core/version.h"
#include "json/read.h"
#include "mcp/compose.h"
#include "mcp/revision.h"
#include "observe/log.h"

namespace patchbay::upstreams {
namespace {

constexpr int kMaxQuestions = 16;  // To one client in the course of one call, at a time.
constexpr int kMaxPages = 1000;    // Of a tool list; a server that never ends is refused.

// What some client may be able to do. Whether the one that makes a call can is known when a server
// asks in the course of it.
constexpr std::string_view kClientCapabilities =
    R"({"sampling":{},"elicitation":{},"roots":{"listChanged":false}})";

std::optional<std::uint64_t> our_id(std::string_view raw) {
  std::uint64_t id = 0;
  const auto [end, fault] = std::from_chars(raw.data(), raw.data() + raw.size(), id);
  if (fault != std::errc() || end != raw.data() + raw.size()) return std::nullopt;
  return id;
}

Error refused(std::string_view method, const mcp::Reply& reply) {
  const auto why = json::string_member(reply.body, "message").value_or("no message");
  return {Code::upstream_failed, fmt::format("{} was refused: {}", method, why)};
}

std::shared_ptr<metrics::Counter> dropped(metrics::Registry& registry, std::string_view upstream,
                                          std::string_view reason) {
  return registry.counter("patchbay_upstream_dropped_total",
                          "Messages of an upstream that were dropped.",
                          metrics::labels({{"upstream", upstream}, {"reason", reason}}));
}

}  // namespace

LinkCounters::LinkCounters(metrics::Registry& registry, std::string_view upstream)
    : not_json(dropped(registry, upstream, "not_json")),
      invalid(dropped(registry, upstream, "invalid")),
      unknown_id(dropped(registry, upstream, "unknown_id")),
      late(dropped(registry, upstream, "late")),
      refused(dropped(registry, upstream, "refused")) {}

McpLink::McpLink(transport::Channel& channel, Events& events, const LinkCounters& counters)
    : channel_(channel), events_(events), counters_(counters) {}

Task<void> McpLink::open(Deadline deadline) {
  std::string params = fmt::format(
      R"({{"protocolVersion":"{}","capabilities":{},"clientInfo":{{"name":"patchbay","version":"{}"}}}})",
      mcp::info(mcp::kNewestLegacy).name, kClientCapabilities, kVersion);
  auto reply = co_await request("initialize", std::move(params), deadline);
  if (!reply) co_return reply.error();
  if (reply->is_error) co_return refused("initialize", *reply);
  const std::string& result = reply->body;
  const auto version = json::string_member(result, "protocolVersion").value_or("");
  if (!mcp::find_revision(version)) {
    co_return Error{Code::upstream_failed,
                    fmt::format("the server speaks the unknown revision '{}'", version)};
  }
  capabilities_ = json::member(result, "capabilities").value_or("{}");
  co_return channel_.send(mcp::notification("notifications/initialized", ""));
}

Task<mcp::ItemLists> McpLink::list_all(Deadline deadline) {
  mcp::ItemLists lists;
  for (std::size_t i = 0; i < lists.size(); ++i) {
    auto items = co_await list(static_cast<mcp::ItemKind>(i), deadline);
    if (!items) co_return items.error();
    lists[i] = *std::move(items);
  }
  co_return lists;
}

Task<std::vector<mcp::Item>> McpLink::list(mcp::ItemKind kind, Deadline deadline) {
  std::vector<mcp::Item> items;
  const auto& info = mcp::info(kind);
  if (!json::member(capabilities_, info.capability)) co_return items;
  std::string params = "{}";
  for (int page = 0; page < kMaxPages; ++page) {
    auto reply = co_await request(info.list, std::move(params), deadline);
    if (!reply) co_return reply.error();
    if (reply->is_error) {
      // Some servers declare resources and know nothing of templates.
      if (json::member(reply->body, "code") == "-32601") co_return items;
      co_return refused(info.list, *reply);
    }
    const std::string& result = reply->body;
    json::each_element(json::member(result, info.member).value_or("[]"), [&](std::string_view raw) {
      if (auto key = json::string_member(raw, info.key); key && !key->empty()) {
        items.push_back({*std::move(key), std::string(raw)});
      }
    });
    const auto cursor = json::member(result, "nextCursor");
    if (!cursor || *cursor == "null") co_return items;
    params = fmt::format("{{\"cursor\":{}}}", *cursor);
  }
  co_return Error{Code::upstream_failed, fmt::format("the list of {}s does not end", info.noun)};
}

Task<void> McpLink::subscribe(std::string_view uri, Deadline deadline) {
  std::string params = fmt::format("{{\"uri\":{}}}", json::quote(uri));
  auto reply = co_await request("resources/subscribe", std::move(params), deadline);
  if (!reply) co_return reply.error();
  if (reply->is_error) co_return refused("resources/subscribe", *reply);
  co_return ok();
}

Task<mcp::Reply> McpLink::ask(const gateway::Call& call, std::string_view target,
                              Deadline deadline) {
  const std::uint64_t id = next_id_++;
  Pending pending;
  pending.call = &call;
  std::string text = mcp::forward(call.request, id, call.method.target, target);
  co_return co_await exchange(id, std::move(text), pending, deadline);
}

Task<mcp::Reply> McpLink::request(std::string_view method, std::string params, Deadline deadline) {
  const std::uint64_t id = next_id_++;
  Pending pending;
  std::string text = mcp::request(id, method, params);
  co_return co_await exchange(id, std::move(text), pending, deadline);
}

Task<mcp::Reply> McpLink::exchange(std::uint64_t id, std::string text, Pending& pending,
                                   Deadline deadline) {
  pending.id = id;
  pending_.emplace(id, &pending);
  auto sent = channel_.send(text);
  if (!sent) {
    pending_.erase(id);
    co_return sent.error();
  }
  pending.deadline = deadline;
  auto reply = co_await pending.answer.wait(deadline);
  while (!reply && reply.error().code == Code::timeout && here().now() < pending.deadline) {
    pending.answer.reset();
    reply = co_await pending.answer.wait(pending.deadline);
  }
  pending_.erase(id);
  if (reply) co_return reply;
  const Code why = reply.error().code;
  if (why == Code::timeout || why == Code::cancelled) {
    const bool late = why == Code::timeout;
    auto told = channel_.send(mcp::cancelled(id, late ? "deadline passed" : "cancelled"));
    if (late) co_return Error{Code::timeout, "the upstream did not answer in time"};
  }
  co_return reply.error();
}

void McpLink::fail_all(const Error& error) {
  for (const auto& [id, pending] : pending_) pending->answer.deliver(error);
}

void McpLink::on_message(std::string_view text) {
  mcp::Message message;
  auto parsed = mcp::parse(text, message);
  if (!parsed) {
    const bool json = parsed.error().code != Code::parse_error;
    (json ? counters_.invalid : counters_.not_json)->add();
    // A malformed answer to a question of ours is the only one there will be.
    if (auto* const asked = message.method.empty() ? find_pending(message.id) : nullptr) {
      asked->answer.deliver(Error{Code::upstream_failed, "the upstream sent a malformed answer: " +
                                                             parsed.error().message});
    }
    return;
  }
  switch (message.kind) {
    case mcp::Message::Kind::response:
      on_response(message);
      break;
    case mcp::Message::Kind::notification:
      on_notification(message);
      break;
    case mcp::Message::Kind::request:
      on_request(message);
      break;
  }
}

void McpLink::on_response(const mcp::Message& message) {
  if (Pending* const asked = find_pending(message.id)) {
    asked->answer.deliver(mcp::reply_of(message));
    return;
  }
  const auto id = our_id(message.id);
  const bool once_asked = id && *id > 0 && *id < next_id_;
  (once_asked ? counters_.late : counters_.unknown_id)->add();
}

McpLink::Pending* McpLink::find_pending(std::string_view raw_id) {
  const auto id = our_id(raw_id);
  const auto found = id ? pending_.find(*id) : pending_.end();
  if (found == pending_.end() || found->second->answer.delivered()) return nullptr;
  return found->second;
}

void McpLink::on_notification(const mcp::Message& message) {
  if (std::ranges::find(mcp::kItems, message.method, &mcp::ItemInfo::changed) !=
      mcp::kItems.end()) {
    events_.on_items_changed();
    return;
  }
  if (message.method == "notifications/resources/updated") {
    const auto* const uri = message.param("uri");
    if (auto text = uri ? json::as_string(uri->raw) : std::nullopt) events_.on_updated(*text);
    return;
  }
  if (message.method == "notifications/message") {
    if (const Pending* const running = only_call()) {
      gateway::tell(*running->call, message.method, std::string(message.raw_params));
    }
    return;
  }
  if (message.method != "notifications/progress") return;
  const auto* const token = message.param("progressToken");
  const Pending* const asked = token ? find_pending(token->raw) : nullptr;
  if (!asked || !asked->call) return;
  const gateway::Call& call = *asked->call;
  if (const auto* const theirs = call.request.meta_member("progressToken")) {
    gateway::tell(call, message.method, mcp::with_token(message, theirs->raw));
  }
}

// A server may ask its client things in the course of a call. Over one pipe it does not say which
// call, so it is asked on only where there is no doubt; otherwise the server hears at once that
// nobody answers.
void McpLink::on_request(const mcp::Message& message) {
  if (message.method == "ping") {
    answer(message.id, mcp::result_reply("{}"));
    return;
  }
  Pending* const asked = mcp::find_client_method(message.method) ? only_call() : nullptr;
  if (!asked || asked->questions == kMaxQuestions) {
    counters_.refused->add();
    answer(message.id, mcp::error_reply({Code::method_not_found, "no client can be asked this"}));
    return;
  }
  // The clock of the call stands still while its client thinks.
  ++asked->questions;
  const auto left = asked->deadline - here().now();
  asked->deadline = here().now() + asked->call->patience;
  auto pass_on = [this, left, life = std::weak_ptr(life_), number = asked->id,
                  id = std::string(message.id)](mcp::Reply reply) {
    if (life.expired()) return;
    answer(id, reply);
    if (const auto found = pending_.find(number); found != pending_.end()) {
      --found->second->questions;
      found->second->deadline = here().now() + left;
      // Wakes the call to look at its new deadline.
      found->second->answer.deliver(Error{Code::timeout, "the clock goes on"});
    }
  };
  gateway::ask(*asked->call, message.method, message.raw_params, std::move(pass_on));
}

void McpLink::answer(std::string_view id, const mcp::Reply& reply) {
  auto sent = channel_.send(mcp::response(id, reply));
  (void)sent;  // If the peer has gone, on_closed() says so.
}

McpLink::Pending* McpLink::only_call() {
  Pending* only = nullptr;
  for (const auto& [id, pending] : pending_) {
    if (!pending->call || pending->answer.delivered()) continue;
    if (only) return nullptr;
    only = pending;
  }
  return only;
}

void McpLink::on_closed(const std::string& why) {
  fail_all({Code::upstream_failed, "the upstream was lost: " + why});
  events_.on_link_closed(why);
}

}  // namespace patchbay::upstreams
