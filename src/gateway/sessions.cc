#include "gateway/sessions.h"

#include <chrono>
#include <utility>

#include "gateway/call/session_digest.h"

namespace patchbay::gateway {
namespace {

constexpr std::size_t kMostOwners = 10'000;  // Sessions of which a worker remembers the node.
constexpr int kClaims = 4;                   // Attempts, when other nodes claim it as well.

Error unknown() { return {Code::session_not_found, "this session is unknown or has ended"}; }

}  // namespace

Sessions::~Sessions() {
  each_on_worker([](Session& session) { session.stream.reset(); });
}

Result<std::shared_ptr<Session>> Sessions::create(const Conditions& conditions,
                                                  const SessionVisitor& visitor) {
  SessionId id = new_session_id();
  id.run = directory_.members.run();
  id.worker = static_cast<std::uint16_t>(number_);
  id.revision = conditions.revision;
  id.owner = owner_digest(*visitor.caller);
  id.abilities = mcp::abilities_of(conditions.revision, conditions.capabilities);
  id.client_info = conditions.client_info;
  return add(seal(directory_.keys, id), id, visitor);
}

// The session is the same, whether it is new or restored: it has what is in its id.
Result<std::shared_ptr<Session>> Sessions::add(std::string text, const SessionId& id,
                                               const SessionVisitor& visitor) {
  auto share = shares().take(ShareOf::sessions, visitor.share_owner);
  if (!share) return share.error();
  if (directory_.count.fetch_add(1) >= directory_.most) {
    directory_.count.fetch_sub(1);
    return Error{Code::overloaded,
                 "too many sessions are open; try again later (limits.max_sessions)"};
  }
  auto session = std::make_shared<Session>();
  session->share = *std::move(share);
  session->id = std::move(text);
  session->run = directory_.members.run();
  session->created = id.created;
  session->digest = session_digest(session->id);
  session->revision = id.revision;
  session->owner = visitor.caller;
  session->capabilities = mcp::client_capabilities(id.revision, id.abilities);
  session->client_info = id.client_info;
  session->worker = number_;
  session->last_used = here().now().time_since_epoch().count();
  known_.emplace(session->id, session);
  if (directory_.store.shared()) watch_others();
  if (watch_) by_record_.emplace(session_record_key(session->id), session);
  return session;
}

std::shared_ptr<Session> Sessions::look_up(std::string_view id) const {
  const auto found = known_.find(id);
  return found == known_.end() ? nullptr : found->second;
}

std::shared_ptr<Session> Sessions::known(std::string_view id, const Principal& caller) const {
  auto session = look_up(id);
  if (!session || session->ended || session->owner->id != caller.id) return nullptr;
  return session->run == directory_.members.run() ? session : nullptr;
}

std::size_t Sessions::owner_of(const SessionId& id) const {
  const std::size_t count = directory_.workers.size();
  const bool ours = id.run == directory_.members.run() && id.worker < count;
  return ours ? id.worker : placed_on(id, count);
}

// The node that has the session of another one, as far as this one knows; 0: this one may take it.
cluster::Run Sessions::other_owner(const std::string& id, const SessionId& opened,
                                   bool forwarded) const {
  const cluster::Members& members = directory_.members;
  if (!members.joined() || opened.run == members.run()) return 0;
  const auto list = members.list();
  const auto* const creator = list->find(opened.run);
  if (creator && !creator->leaving) return opened.run;
  const auto noted = owners_.find(id);
  if (noted != owners_.end() && noted->second != members.run() && list->find(noted->second)) {
    return noted->second;
  }
  if (forwarded) return 0;
  const auto* const placed = list->member_for(session_record_key(id));
  return placed && placed->run != members.run() ? placed->run : 0;
}

void Sessions::note_owner(const std::string& id, cluster::Run owner) {
  if (owners_.size() >= kMostOwners) owners_.clear();
  owners_[id] = owner;
}

Task<Sessions::Found> Sessions::find(std::string id, SessionVisitor visitor) {
  auto session = look_up(id);
  if (session && session->run != directory_.members.run()) {
    drop_lost();
    session = nullptr;
  } else if (session && session->ended && directory_.members.joined()) {
    // Another node may have taken it over.
    known_.erase(session->id);
    session = nullptr;
  }
  if (!session) {
    const auto opened = open_session_id(directory_.keys, id);
    if (!opened || opened->owner != owner_digest(*visitor.caller)) co_return unknown();
    const cluster::Run other = other_owner(id, *opened, visitor.forwarded);
    if (other != 0) co_return Found{nullptr, other};
    const std::size_t owner = owner_of(*opened);
    Sessions& there = *directory_.workers[owner];
    auto ask = [&] { return there.find_here(id, *opened, visitor); };
    auto found = co_await hop<Found>(*directory_.executors[owner], ask);
    if (!found) co_return found.error();
    if (!found->session) {
      note_owner(id, found->elsewhere);
      co_return found;
    }
    session = found->session;
    known_.emplace(session->id, session);
  }
  if (session->ended || session->owner->id != visitor.caller->id) co_return unknown();
  co_return Found{session};
}

Task<Sessions::Found> Sessions::find_here(const std::string& id, const SessionId& opened,
                                          const SessionVisitor& visitor) {
  if (auto known = look_up(id)) {
    if (known->run == directory_.members.run()) co_return Found{known};
    drop_lost();
  }
  // This process has created it, so it has ended.
  if (opened.run == directory_.members.run()) co_return unknown();
  co_return co_await restore(id, opened, visitor);
}

Task<Sessions::Found> Sessions::restore(const std::string& id, const SessionId& opened,
                                        const SessionVisitor& visitor) {
  if (!records_.outlive_process()) co_return unknown();
  if (std::chrono::system_clock::now() >= end_of_age(opened.created)) co_return unknown();
  watch_others();  // An end that is not in the record yet is reported.
  StoredSessionRecord stored;
  auto owner = co_await claim(id, opened, stored);
  if (!owner) {
    // A record that cannot be read may say that the session has ended.
    if (owner.error().code == Code::internal) co_return unknown();
    co_return owner.error();
  }
  if (*owner) co_return Found{nullptr, **owner};
  // Another request may have been faster.
  if (auto known = look_up(id)) co_return Found{known};
  const SessionRecord& record = stored.record;
  if (record.ended || record.has_private) co_return unknown();
  auto session = add(id, opened, visitor);
  if (!session) co_return session.error();
  (*session)->log_level = record.log_level;
  if (notify_restored_) notify_restored_(*session, visitor.from, record.uris);
  co_return Found{*session};
}

// Reads the record. In a cluster, also makes this node the owner of the session, unless another
// member is: then yields that one.
Task<std::optional<cluster::Run>> Sessions::claim(const std::string& id, const SessionId& opened,
                                                  StoredSessionRecord& stored) {
  const cluster::Members& members = directory_.members;
  for (int attempt = 0; attempt < kClaims; ++attempt) {
    auto read = co_await records_.read(session_record_key(id));
    if (!read) co_return read.error();
    stored = *std::move(read);
    SessionRecord& record = stored.record;
    const cluster::Run run = members.run();
    const bool over = record.ended || record.has_private;
    if (!members.joined() || over || record.run == run) co_return std::nullopt;
    // Without a record, it is where it was created; that node may have joined a moment ago.
    const cluster::Run owner = record.run == 0 ? opened.run : record.run;
    auto there = co_await members.has(owner);
    if (!there) co_return there.error();
    const auto list = members.list();
    const auto* const member = list->find(owner);
    if (member && !member->leaving) co_return std::optional(owner);
    record.run = run;
    auto claimed = co_await records_.replace(session_record_key(id), record, stored.version,
                                             end_of_age(opened.created));
    if (!claimed) co_return claimed.error();
    if (*claimed) co_return std::nullopt;
  }
  co_return Error{Code::overloaded, "other nodes change this session; try again later"};
}

store::Time Sessions::end_of_age(store::Time created) const {
  return created + std::chrono::milliseconds(directory_.max_age.load());
}

SessionRecord Sessions::record_of(const Session& session) const {
  SessionRecord record{.run = directory_.members.run(),
                       .ended = session.ended,
                       .has_private = session.has_private,
                       .log_level = session.log_level};
  if (!record.ended) record.uris = session.subscriber.all();
  return record;
}

void Sessions::save(const std::shared_ptr<Session>& session) {
  if (!records_.outlive_process()) return;
  const auto worker = static_cast<std::size_t>(session->worker);
  Sessions& there = *directory_.workers[worker];
  directory_.executors[worker]->post([&there, session] { there.save_here(*session); });
}

// After its end, the record has nothing else.
void Sessions::save_here(const Session& session) {
  if (session.ended && look_up(session.id)) return;
  records_.write(session_record_key(session.id), record_of(session), end_of_age(session.created));
}

void Sessions::end(Session& session) {
  if (session.ended.exchange(true)) return;
  directory_.count.fetch_sub(1);
  session.share.give_back();
  session.listed.remove();
  const auto worker = static_cast<std::size_t>(session.worker);
  Sessions& there = *directory_.workers[worker];
  directory_.executors[worker]->post([&there, id = session.id] { there.end_here(id); });
}

Task<void> Sessions::end_for_good(std::shared_ptr<Session> session) {
  end(*session);
  const auto worker = static_cast<std::size_t>(session->worker);
  Sessions& there = *directory_.workers[worker];
  // On another worker, what follows runs after the end that has been posted there.
  if (session->worker == number_) end_here(session->id);
  auto written = [&there] { return there.records_.written(); };
  co_return co_await hop<void>(*directory_.executors[worker], written);
}

void Sessions::end_here(const std::string& id) {
  const auto found = known_.find(id);
  if (found == known_.end()) return;
  const auto session = found->second;
  known_.erase(found);
  if (watch_) by_record_.erase(session_record_key(id));
  // The stream is destroyed here, on its own worker, because others may still hold the session.
  if (const auto stream = std::move(session->stream)) streams_.close(*stream);
  save_here(*session);
  if (notify_end_) notify_end_(session);
}

void Sessions::sweep(Deadline now) {
  if (directory_.members.joined()) {
    watch_others();
    if (std::exchange(seen_run_, directory_.members.run()) != directory_.members.run()) drop_lost();
  }
  const auto idle_since = now.time_since_epoch().count() - directory_.idle;
  std::vector<std::shared_ptr<Session>> idle;
  std::erase_if(known_, [&](const auto& entry) {
    const auto& session = entry.second;
    if (session->worker != number_) return session->ended.load();
    if (session->open == 0 && session->last_used < idle_since) idle.push_back(session);
    return false;
  });
  if (handed_over_) return;
  for (const auto& session : idle) end(*session);
}

// Follows what other processes do with the sessions of this worker. That matters once two processes
// can have the same session: always with a store that others use, and while one process replaces
// the other, since the first session was restored here, or since another process accepts
// connections.
void Sessions::watch_others() {
  if (watch_ || !records_.outlive_process()) return;
  for (const auto& [id, session] : known_) {
    if (session->worker == number_) by_record_.emplace(session_record_key(id), session);
  }
  watch_ = directory_.store.watch(kSessionTable, here(),
                                  [this](const store::Change& change) { note_change(change); });
}

// The session has ended in another process, or has been taken over by another node.
void Sessions::note_change(const store::Change& change) {
  const auto found = by_record_.find(change.key);
  const auto session = found == by_record_.end() ? nullptr : found->second.lock();
  if (!session || !change.value) return;
  const SessionRecord record = session_record(*change.value);
  if (record.run == directory_.members.run()) return;
  if (record.ended) return end(*session);
  if (directory_.members.joined()) drop(session);
}

// Our membership was lost: other nodes may have taken our sessions over by now.
void Sessions::drop_lost() {
  std::vector<std::shared_ptr<Session>> lost;
  for (const auto& [id, session] : known_) {
    if (session->run != directory_.members.run()) lost.push_back(session);
  }
  for (const auto& session : lost) drop(session);
}

// Another node has it. Calls in progress are answered; its streams end, so that the client opens
// them there.
void Sessions::drop(const std::shared_ptr<Session>& session) {
  const auto found = known_.find(session->id);
  if (found != known_.end()) known_.erase(found);
  if (session->worker != number_ || session->ended.exchange(true)) return;
  directory_.count.fetch_sub(1);
  session->share.give_back();
  session->listed.remove();
  by_record_.erase(session_record_key(session->id));
  if (const auto stream = std::move(session->stream)) streams_.close(*stream);
  if (notify_end_) notify_end_(session);
}

Task<void> Sessions::stop() {
  watch_.reset();
  co_return co_await records_.written();
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
