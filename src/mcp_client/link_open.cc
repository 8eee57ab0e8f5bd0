// The start of a link: the handshake, the lists, and the subscriptions to notifications.
#include <fmt/format.h>

#include <algorithm>

#include "core/version.h"
#include "json/read.h"
#include "json/write.h"
#include "mcp/capabilities.h"
#include "mcp/compose.h"
#include "mcp/log_level.h"
#include "mcp/tasks.h"
#include "mcp_client/link.h"

namespace patchbay::upstreams {
namespace {

constexpr std::size_t kMaxCursor = 16 << 10;  // Bytes of a cursor, raw.

Error refused(std::string_view method, const mcp::Reply& reply) {
  const auto why = json::string_member(reply.body, "message").value_or("no message");
  return {Code::upstream_failed, fmt::format("{} was refused: {}", method, why)};
}

bool names(std::string_view versions, mcp::Revision revision) {
  bool found = false;
  json::each_element(versions, [&](std::string_view raw) {
    found |= json::as_string(raw) == mcp::info(revision).name;
  });
  return found;
}

// An error that only a stateless server sends.
bool is_stateless_error(const mcp::Reply& reply) {
  const auto code = json::member(reply.body, "code").value_or("");
  return code == "-32020" || code == "-32021" || code == "-32022";
}

// The server's own revisions that a refusal names, raw.
std::string_view supported(const mcp::Reply& reply) {
  const auto data = json::member(reply.body, "data").value_or("{}");
  return json::member(data, "supported").value_or("[]");
}

// The newest session-based revision that the server offers instead of the proposed one.
std::optional<mcp::Revision> offered(const mcp::Reply& reply) {
  const auto versions = supported(reply);
  for (auto revision : {mcp::Revision::v2025_11_25, mcp::Revision::v2025_06_18,
                        mcp::Revision::v2025_03_26, mcp::Revision::v2024_11_05}) {
    if (names(versions, revision)) return revision;
  }
  return std::nullopt;
}

// The capabilities that the settings name, or all; limited to those that clients support.
std::string capabilities_for(mcp::Revision revision, const ClientSettings& client,
                             const mcp::Abilities& declared) {
  const std::string all = mcp::client_capabilities(revision, declared);
  if (client.capabilities.empty()) return all;
  const std::string known = mcp::client_capabilities(revision, mcp::kAllAbilities);
  std::string some;
  {
    json::Object object(some);
    for (const auto& name : client.capabilities) {
      const auto can = json::member(all, name);
      // Capabilities that no client is asked for are declared as in the settings.
      if (can || !json::member(known, name)) object.raw(name, can.value_or("{}"));
    }
  }
  return some;
}

std::string client_info(const ClientSettings& client) {
  if (client.name.empty()) return mcp::client_info();
  return fmt::format(
      R"({{"name":{},"version":{}}})", json::quote(client.name),
      json::quote(client.version.empty() ? kVersion : std::string_view(client.version)));
}

// No more than a client could ever receive.
std::string instructions_in(std::string_view result) {
  constexpr std::size_t kMost = 1 << 20;
  return json::string_member(result, "instructions").value_or("").substr(0, kMost);
}

std::string initialize_params(mcp::Revision revision, const ClientSettings& client,
                              const mcp::Abilities& declared) {
  return fmt::format(R"({{"protocolVersion":"{}","capabilities":{},"clientInfo":{}}})",
                     mcp::info(revision).name, capabilities_for(revision, client, declared),
                     mcp::implementation_for(revision, client_info(client)));
}

// The session-based revision to begin with.
mcp::Revision proposed(Spoken wanted) {
  const auto revision = wanted_revision(wanted);
  return revision && !mcp::info(*revision).stateless ? *revision : mcp::kNewestSessionBased;
}

// Why an item must not be offered; empty: it may be. The mirrored arguments of a tool of a
// stateless server must be valid.
std::string unusable(mcp::ItemKind kind, const std::optional<std::string>& key,
                     std::string_view definition, bool stateless) {
  if (!key || key->empty()) {
    return fmt::format("its definition has no '{}' that is a string", mcp::info(kind).key);
  }
  if (kind != mcp::ItemKind::tool || !stateless) return {};
  auto headers = mcp::param_headers(json::member(definition, "inputSchema").value_or("{}"));
  return headers ? std::string() : "its inputSchema is invalid: " + headers.error().message;
}

bool flag(std::string_view capabilities, std::string_view section, std::string_view name) {
  const auto part = json::member(capabilities, section);
  return part && json::member(*part, name) == "true";
}

// True if a server with these capabilities can turn a call into a task.
bool offers_tasks(mcp::Revision revision, std::string_view capabilities) {
  const auto part = [&capabilities](std::string_view key) {
    capabilities = json::member(capabilities, key).value_or("");
    return !capabilities.empty();
  };
  if (mcp::info(revision).stateless) return part("extensions") && part(mcp::kTasksExtension);
  return revision == mcp::Revision::v2025_11_25 && part("tasks") && part("requests") &&
         part("tools") && part("call");
}

// The tool with the member that states whether it runs as a task. A stateless server decides that
// with each call.
std::string with_tasks_known(std::string_view tool, bool has_tasks, bool stateless) {
  if (!has_tasks) return mcp::with_task_support(tool, mcp::TaskSupport::none);
  return stateless ? mcp::with_task_support(tool, mcp::TaskSupport::optional) : std::string(tool);
}

}  // namespace

mcp::Abilities declared_abilities(const McpSettings& settings) {
  const auto& names = settings.protocol.client.capabilities;
  if (names.empty()) return settings.abilities;
  unsigned named = 0;
  for (const auto& name : names) named |= mcp::bits_of_capability(name);
  return mcp::common(mcp::abilities_of_bits(named), settings.abilities);
}

std::optional<mcp::Revision> wanted_revision(Spoken wanted) {
  for (const auto& choice : config::choices<Spoken>) {
    if (choice.value == wanted) return mcp::find_revision(choice.name);
  }
  return std::nullopt;
}

HandshakeMode handshake_mode_for(Spoken wanted) {
  const auto revision = wanted_revision(wanted);
  if (!revision) return HandshakeMode::ask;
  return mcp::info(*revision).stateless ? HandshakeMode::stateless : HandshakeMode::session_based;
}

Task<void> McpLink::open(HandshakeMode handshake_mode, std::chrono::nanoseconds probe,
                         Deadline deadline) {
  if (handshake_mode == HandshakeMode::stateless) co_return co_await discover(deadline);
  if (handshake_mode == HandshakeMode::ask) {
    auto discovered = co_await discover(std::min(deadline, here().now() + probe));
    if (discovered || closed_) co_return discovered;
    const Code why = discovered.error().code;
    if (why == Code::unavailable || why == Code::forbidden) co_return discovered;
  }
  auto initialized = co_await initialize(deadline);
  if (initialized || handshake_mode == HandshakeMode::session_based || closed_ || !answered_)
    co_return initialized;
  // It has no sessions: perhaps its first answer was only late.
  auto discovered = co_await discover(deadline);
  co_return discovered ? discovered : initialized;
}

Task<mcp::Reply> McpLink::shake(std::string_view method, std::string params,
                                std::optional<mcp::Revision> revision, Deadline deadline) {
  Pending pending;
  pending.id = next_id_++;
  pending.handshake = true;
  const transport::Sending how{.id = pending.id, .method = method, .revision = revision};
  auto sent = send(mcp::request(raw_id(pending.id), method, params), how, pending, deadline);
  if (!sent) co_return sent.error();
  auto answer = co_await pending.answer.wait();
  auto reply = received(pending, std::move(answer));
  answered_ |= static_cast<bool>(reply);
  co_return reply;
}

Task<mcp::Reply> McpLink::request(std::string_view method, std::string params, Deadline deadline) {
  return request(next_id_++, method, std::move(params), deadline);
}

Task<mcp::Reply> McpLink::request(std::uint64_t id, std::string_view method, std::string params,
                                  Deadline deadline) {
  Pending pending;
  pending.id = id;
  // Only a client that declares tasks receives updates of them.
  const bool listens = method == "subscriptions/listen" && has_tasks();
  if (stateless())
    params = mcp::with_envelope(params, revision_, capabilities_of(nullptr, listens));
  const transport::Sending how{.id = id, .method = method, .revision = revision_};
  auto sent = send(mcp::request(raw_id(id), method, params), how, pending, deadline);
  if (!sent) co_return sent.error();
  auto answer = co_await pending.answer.wait();
  co_return received(pending, std::move(answer));
}

Task<void> McpLink::discover(Deadline deadline) {
  const auto params = mcp::with_envelope("{}", mcp::kNewest);
  auto reply = co_await shake("server/discover", params, mcp::kNewest, deadline);
  // A server that lists our revision among its own has refused it by mistake.
  if (reply && reply->is_error && names(supported(*reply), mcp::kNewest)) {
    reply = co_await shake("server/discover", params, mcp::kNewest, deadline);
  }
  if (!reply) co_return reply.error();
  const std::string& body = reply->body;
  const bool speaks = !reply->is_error &&
                      names(json::member(body, "supportedVersions").value_or("[]"), mcp::kNewest);
  if (!speaks) {
    const bool stateless = reply->is_error && is_stateless_error(*reply);
    co_return Error{stateless ? Code::unsupported_version : Code::upstream_failed,
                    refused("server/discover", *reply).message};
  }
  revision_ = mcp::kNewest;
  capabilities_ = json::member(body, "capabilities").value_or("{}");
  instructions_ = instructions_in(body);
  has_tasks_ = offers_tasks(revision_, capabilities_);
  channel_.agreed(revision_);
  co_return ok();
}

Task<void> McpLink::initialize(Deadline deadline) {
  std::string params = initialize_params(proposed(protocol_.revision), protocol_.client, declared_);
  auto reply = co_await shake("initialize", std::move(params), std::nullopt, deadline);
  if (!reply) co_return reply.error();
  if (const auto other = reply->is_error ? offered(*reply) : std::nullopt) {
    params = initialize_params(*other, protocol_.client, declared_);
    reply = co_await shake("initialize", std::move(params), std::nullopt, deadline);
    if (!reply) co_return reply.error();
  }
  if (reply->is_error) co_return refused("initialize", *reply);
  const std::string& result = reply->body;
  const auto version = json::string_member(result, "protocolVersion").value_or("");
  const auto revision = mcp::find_revision(version);
  if (!revision || mcp::info(*revision).stateless) {
    co_return Error{Code::upstream_failed,
                    fmt::format("the server speaks the unknown revision '{}'", version)};
  }
  revision_ = *revision;
  capabilities_ = json::member(result, "capabilities").value_or("{}");
  instructions_ = instructions_in(result);
  has_tasks_ = offers_tasks(revision_, capabilities_);
  level_.reset();
  auto sent = channel_.send(mcp::notification("notifications/initialized", ""),
                            {.method = "notifications/initialized", .revision = revision_});
  if (sent) channel_.agreed(revision_);
  co_return sent;
}

Task<mcp::ItemLists> McpLink::list_all(Deadline deadline) {
  mcp::ItemLists lists;
  gateway::ListBudget budget(list_limits_);
  left_out_.reset();
  for (std::size_t i = 0; i < lists.size(); ++i) {
    auto items = co_await list_within(static_cast<mcp::ItemKind>(i), budget, deadline);
    if (!items) co_return items.error();
    lists[i] = *std::move(items);
  }
  co_return lists;
}

Task<std::vector<mcp::Item>> McpLink::list(mcp::ItemKind kind, Deadline deadline) {
  gateway::ListBudget budget(list_limits_);
  co_return co_await list_within(kind, budget, deadline);
}

Task<std::vector<mcp::Item>> McpLink::list_within(mcp::ItemKind kind, gateway::ListBudget& budget,
                                                  Deadline deadline) {
  std::vector<mcp::Item> items;
  const auto& info = mcp::info(kind);
  if (!json::member(capabilities_, info.capability)) co_return items;
  std::string params = "{}";
  std::set<std::string, std::less<>> cursors;
  for (int page = 1;; ++page) {
    auto may = budget.check_page(kind, page);
    if (!may) co_return may.error();
    auto reply = co_await request(info.list, std::move(params), deadline);
    if (!reply) co_return reply.error();
    if (reply->is_error) {
      // Some servers declare resources and do not support templates.
      if (json::member(reply->body, "code") == "-32601") co_return items;
      co_return refused(info.list, *reply);
    }
    const std::string& result = reply->body;
    auto taken = take_page(kind, json::member(result, info.member).value_or("[]"), budget, items);
    if (!taken) co_return taken.error();
    const auto cursor = json::member(result, "nextCursor");
    if (!cursor || *cursor == "null") co_return items;
    if (cursor->size() > kMaxCursor || !cursors.emplace(*cursor).second) {
      co_return Error{Code::too_large,
                      fmt::format("the list of {}s does not end: a cursor {}", info.noun,
                                  cursor->size() > kMaxCursor ? "is too long" : "comes again")};
    }
    params = fmt::format("{{\"cursor\":{}}}", *cursor);
  }
}

// Stops at the first item beyond the limit.
Result<void> McpLink::take_page(mcp::ItemKind kind, std::string_view items,
                                gateway::ListBudget& budget, std::vector<mcp::Item>& to) {
  Result<void> fits = ok();
  json::each_element(items, [&](std::string_view raw) {
    if (!fits) return;
    fits = budget.add(raw.size());
    if (!fits) return;
    auto key = json::string_member(raw, mcp::info(kind).key);
    const std::string why = unusable(kind, key, raw, stateless());
    if (!why.empty()) return leave_out(kind, key.value_or(""), why);
    const bool tool = kind == mcp::ItemKind::tool;
    to.push_back({*std::move(key),
                  tool ? with_tasks_known(raw, has_tasks_, stateless()) : std::string(raw)});
  });
  return fits;
}

void McpLink::leave_out(mcp::ItemKind kind, std::string_view name, std::string_view why) {
  if (!left_out_) left_out_ = std::make_shared<gateway::LeftOut>();
  left_out_->add(kind, name, why);
}

Task<void> McpLink::check(Deadline deadline) {
  // Any answer shows that the server is running.
  auto reply = co_await request(stateless() ? "server/discover" : "ping", "{}", deadline);
  if (!reply) co_return reply.error();
  co_return ok();
}

std::optional<int> McpLink::level_to_ask(const gateway::Call& call) const {
  if (stateless()) return std::nullopt;
  std::optional<int> level = call.log_level;
  if (mcp::info(call.revision).stateless) {
    const auto* const asked = call.request.meta_member(mcp::kMetaLogLevel);
    const auto name = asked ? json::as_string(asked->raw) : std::nullopt;
    level = name ? mcp::log_level(*name) : std::nullopt;
  } else if (!level && level_) {
    level = 0;  // A client that never set a level gets everything, also if others set a higher one.
  }
  return level_ && level && *level_ <= *level ? std::nullopt : level;
}

// The server sends fewer log messages than a client wants: the level is set once, for all clients.
// Each client still receives only the levels that it wants.
Task<void> McpLink::want_level(int level, Deadline deadline) {
  if (!json::member(capabilities_, "logging")) co_return ok();
  level_ = level;
  auto params =
      fmt::format("{{\"level\":\"{}\"}}", mcp::kLogLevels[static_cast<std::size_t>(level)]);
  auto reply = co_await request("logging/setLevel", std::move(params), deadline);
  if (!reply && reply.error().code == Code::cancelled) co_return reply.error();
  co_return ok();  // If the server refuses, it decides which messages it sends.
}

Task<void> McpLink::subscribe(const std::vector<std::string>& uris, Deadline deadline) {
  follows_lists_ = true;
  if (stateless()) {
    followed_.insert(uris.begin(), uris.end());
    co_return co_await subscribe_followed(deadline);
  }
  for (const auto& uri : uris) {
    std::string params = fmt::format("{{\"uri\":{}}}", json::quote(uri));
    auto reply = co_await request("resources/subscribe", std::move(params), deadline);
    if (!reply) co_return reply.error();
    // A missing resource does not prevent the subscriptions to others.
  }
  co_return ok();
}

// Adds a resource to the subscription of the link.
Task<mcp::Reply> McpLink::follow(std::string uri, Deadline deadline) {
  followed_.insert(uri);
  auto subscribed = co_await subscribe_followed(deadline);
  if (subscribed) co_return mcp::result_reply("{}");
  followed_.erase(uri);
  co_return subscribed.error();
}

Task<void> McpLink::subscribe_followed(Deadline deadline) {
  std::string filter;
  for (const auto* const part : {"tools", "prompts", "resources"}) {
    if (!follows_lists_ || !flag(capabilities_, part, "listChanged")) continue;
    filter += fmt::format("{}\"{}ListChanged\":true", filter.empty() ? "" : ",", part);
  }
  std::string list;
  for (const auto& uri : followed_) list += (list.empty() ? "" : ",") + json::quote(uri);
  if (!list.empty()) {
    filter += fmt::format("{}\"resourceSubscriptions\":[{}]", filter.empty() ? "" : ",", list);
  }
  list.clear();
  for (const auto& id : tasks_.subscribed_tasks())
    list += (list.empty() ? "" : ",") + json::quote(id);
  if (!list.empty()) {
    filter += fmt::format("{}\"taskIds\":[{}]", filter.empty() ? "" : ",", list);
  }
  if (filter.empty()) co_return ok();
  co_return co_await update_.subscribe(fmt::format("{{\"notifications\":{{{}}}}}", filter),
                                       deadline);
}

Task<mcp::Reply> McpLink::listen(std::uint64_t id, std::string params) {
  co_return co_await request(id, "subscriptions/listen", std::move(params), kNever);
}

void McpLink::on_missed() {
  events_.on_items_changed();
  for (const auto& uri : followed_) events_.on_updated(uri);
  tasks_.on_missed();
}

Task<void> McpLink::finish() {
  auto stopped = co_await update_.stop();
  auto tasks_stopped = co_await tasks_.stop();
  co_return stopped ? tasks_stopped : stopped;
}

}  // namespace patchbay::upstreams
