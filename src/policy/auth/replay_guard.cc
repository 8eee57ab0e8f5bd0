#include "policy/auth/replay_guard.h"

#include <fmt/format.h>

#include <algorithm>

namespace patchbay::policy {
namespace {

Error refused_message(std::string message, std::string_view reason) {
  return {Code::invalid_request, std::move(message), fmt::format(R"({{"reason":"{}"}})", reason)};
}

}  // namespace

void ReplayGuard::update(const ReplaySettings& settings) {
  const std::lock_guard lock(mutex_);
  settings_ = settings;
}

Result<void> ReplayGuard::check(const std::string& client, const std::string& id, WallTime time,
                                WallTime now) {
  const std::lock_guard lock(mutex_);
  if (!is_judging_times() && settings_.id_time.count() == 0) return ok();
  if (is_judging_times() && (time < now - settings_.window || time > now + settings_.window)) {
    const auto off = std::chrono::duration_cast<std::chrono::seconds>(now - time);
    return refused_message(
        fmt::format("the timestamp is {} s {}; at most {} are allowed", std::abs(off.count()),
                    off.count() > 0 ? "old" : "ahead", settings_.window.count()),
        "stale");
  }
  Client* const seen = client_of(client, now);
  if (!seen) return Error{Code::overloaded, "too many clients to remember their messages"};
  forget_old(*seen, now);
  if (is_judging_times() && time <= seen->floor)
    return refused_message("the timestamp is older than that of a later message", "stale");
  if (seen->ids.contains(id))
    return refused_message("a message with this id was received before", "replayed");
  remember(*seen, id, time, now);
  return ok();
}

// A client that has sent many messages costs no memory for the next one: the oldest id makes room.
void ReplayGuard::remember(Client& client, const std::string& id, WallTime time,
                           WallTime now) const {
  while (client.order.size() > settings_.ids) forget_oldest(client);  // After a reload.
  if (client.order.size() < settings_.ids || client.order.empty()) {
    client.order.push_back({&*client.ids.insert(id).first, time, now});
    return;
  }
  client.floor = std::max(client.floor, client.order.front().time);
  auto oldest = client.ids.extract(*client.order.front().id);
  client.order.pop_front();
  oldest.value() = id;
  client.order.push_back({&*client.ids.insert(std::move(oldest)).position, time, now});
}

// Messages that are not newer are refused from now on, if times are checked.
void ReplayGuard::forget_oldest(Client& client) {
  client.floor = std::max(client.floor, client.order.front().time);
  client.ids.erase(*client.order.front().id);
  client.order.pop_front();
}

// With a window, expired ids are refused by their time.
void ReplayGuard::forget_old(Client& client, WallTime now) {
  const auto is_old = [&](const Seen& seen) {
    if (now - seen.received < settings_.id_time) return false;
    return !is_judging_times() || seen.time < now - settings_.window;
  };
  while (!client.order.empty() && is_old(client.order.front())) {
    client.ids.erase(*client.order.front().id);
    client.order.pop_front();
  }
}

ReplayGuard::Client* ReplayGuard::client_of(const std::string& name, WallTime now) {
  const auto found = clients_.find(name);
  if (found != clients_.end()) {
    by_use_.splice(by_use_.end(), by_use_, found->second.position);
    found->second.last = now;
    return &found->second;
  }
  if (clients_.size() >= settings_.clients) {
    // A client that was silent for twice the window has sent nothing that would still be valid.
    const auto oldest = clients_.find(by_use_.front());
    const bool may_matter = oldest->second.last > now - 2 * settings_.window;
    if (is_judging_times() && may_matter) return nullptr;
    clients_.erase(oldest);
    by_use_.pop_front();
  }
  Client& made = clients_[name];
  made.position = by_use_.insert(by_use_.end(), name);
  made.last = now;
  return &made;
}

}  // namespace patchbay::policy
