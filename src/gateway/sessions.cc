#include "gateway/sessions.h"

#include <fmt/format.h>

#include <charconv>

#include "core/ids.h"
#include "gateway/call/session_digest.h"

namespace patchbay::gateway {
namespace {

constexpr std::size_t kRandomBytes = 16;

Error unknown() { return {Code::session_not_found, "this session is unknown or has ended"}; }

// Ids begin with the number of the owner worker in two hexadecimal digits.
std::optional<std::size_t> worker_of(std::string_view id) {
  std::size_t worker = 0;
  if (id.size() != 2 + 2 * kRandomBytes) return std::nullopt;
  const auto [end, fault] = std::from_chars(id.data(), id.data() + 2, worker, 16);
  if (fault != std::errc() || end != id.data() + 2) return std::nullopt;
  return worker;
}

}  // namespace

Sessions::~Sessions() {
  each_on_worker([](Session& session) { session.stream.reset(); });
}

Result<std::shared_ptr<Session>> Sessions::create(mcp::Revision revision, Caller owner,
                                                  std::string capabilities,
                                                  std::string_view whose) {
  auto share = shares().take(ShareOf::sessions, whose);
  if (!share) return share.error();
  if (directory_.count.fetch_add(1) >= directory_.most) {
    directory_.count.fetch_sub(1);
    return Error{Code::overloaded,
                 "too many sessions are open; try again later (limits.max_sessions)"};
  }
  auto session = std::make_shared<Session>();
  session->share = *std::move(share);
  session->id = fmt::format("{:02x}{}", number_, random_hex(kRandomBytes));
  session->digest = session_digest(session->id);
  session->revision = revision;
  session->owner = std::move(owner);
  session->capabilities = std::move(capabilities);
  session->worker = number_;
  session->last_used = here().now().time_since_epoch().count();
  known_.emplace(session->id, session);
  return session;
}

std::shared_ptr<Session> Sessions::look_up(std::string_view id) const {
  const auto found = known_.find(id);
  return found == known_.end() ? nullptr : found->second;
}

Task<std::shared_ptr<Session>> Sessions::find(std::string id, const Principal& caller) {
  auto session = look_up(id);
  if (!session) {
    const auto worker = worker_of(id);
    if (!worker || *worker >= directory_.workers.size() ||
        *worker == static_cast<std::size_t>(number_)) {
      co_return unknown();
    }
    Sessions& there = *directory_.workers[*worker];
    auto ask = [&there, &id]() -> Task<std::shared_ptr<Session>> { co_return there.look_up(id); };
    auto found = co_await hop<std::shared_ptr<Session>>(*directory_.executors[*worker], ask);
    if (!found) co_return found.error();
    if (!*found) co_return unknown();
    session = *std::move(found);
    known_.emplace(id, session);
  }
  if (session->ended || session->owner->id != caller.id) co_return unknown();
  co_return session;
}

void Sessions::end(Session& session) {
  if (session.ended.exchange(true)) return;
  directory_.count.fetch_sub(1);
  session.share.give_back();
  session.listed.remove();
  const auto worker = static_cast<std::size_t>(session.worker);
  Sessions& there = *directory_.workers[worker];
  directory_.executors[worker]->post([&there, id = session.id] {
    const auto found = there.known_.find(id);
    if (found == there.known_.end()) return;
    // The stream is destroyed here, on its own worker, because others may still hold the session.
    if (const auto stream = std::move(found->second->stream)) there.streams_.close(*stream);
    if (there.notify_end_) there.notify_end_(found->second);
    there.known_.erase(found);
  });
}

void Sessions::sweep(Deadline now) {
  const auto idle_since = now.time_since_epoch().count() - directory_.idle;
  std::vector<std::shared_ptr<Session>> idle;
  std::erase_if(known_, [&](const auto& entry) {
    const auto& session = entry.second;
    if (session->worker != number_) return session->ended.load();
    if (session->open == 0 && session->last_used < idle_since) idle.push_back(session);
    return false;
  });
  for (const auto& session : idle) end(*session);
}

SessionUse::SessionUse(std::shared_ptr<Session> session) : session_(std::move(session)) {
  if (session_) ++session_->open;
}

SessionUse::~SessionUse() {
  if (!session_) return;
  session_->last_used = here().now().time_since_epoch().count();
  --session_->open;
}

}  // namespace patchbay::gateway
