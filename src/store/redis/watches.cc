#include "store/redis/watches.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <utility>

#include "store/redis/entry.h"
#include "store/sealed_value.h"

namespace patchbay::store {
namespace {

constexpr std::size_t kMostRead = 500;  // Changes that are read at once.
constexpr std::string_view kChannelEnd = ":w";
// A server that has taken over may have lost the last changes, and made others with lower versions.
constexpr auto kReadAgain = std::chrono::minutes(1);

Version version_at(Time time) {
  const auto since = time.time_since_epoch();
  return static_cast<Version>(std::chrono::duration_cast<std::chrono::microseconds>(since).count());
}

}  // namespace

void RedisWatches::add(std::weak_ptr<Watcher> watcher) {
  const auto owned = watcher.lock();
  if (!owned) return;
  TableWatch& watch = tables_[owned->table];
  const bool first = watch.watchers.empty();
  watch.watchers.push_back(std::move(watcher));
  if (!first) return;
  // Without a connection the last version is unknown: what other processes have changed shortly
  // before is reported too, even if their clocks differ.
  if (!link_) watch.last = version_at(std::chrono::system_clock::now() - kRedisErasedTime);
  if (link_) begin(owned->table, watch);
}

void RedisWatches::use(RedisLink* link) {
  link_ = link;
  for (auto& [table, watch] : tables_) {
    watch.reading = false;
    watch.again = false;
    if (!link) {
      const Version early = version_at(std::chrono::system_clock::now() - kRedisErasedTime);
      const auto again = std::chrono::duration_cast<std::chrono::microseconds>(kReadAgain).count();
      const Version last = watch.last.value_or(early);
      watch.last = last - std::min(last, static_cast<Version>(again));
    } else {
      begin(table, watch);
    }
  }
}

void RedisWatches::begin(const std::string& table, TableWatch& watch) {
  watch.again = false;
  link_->subscribe(base_of(table) + std::string(kChannelEnd));
  read(table);
}

void RedisWatches::on_push(const Reply& push) {
  if (push.items.size() != 3 || push.items[0].text != "message") return;
  std::string_view channel = push.items[1].text;
  if (!channel.starts_with(prefix_ + ":") || !channel.ends_with(kChannelEnd)) return;
  channel.remove_prefix(prefix_.size() + 1);
  channel.remove_suffix(kChannelEnd.size());
  if (tables_.contains(std::string(channel))) read(std::string(channel));
}

void RedisWatches::look() {
  if (!link_) return;
  std::vector<std::string> tables;
  for (auto& [table, watch] : tables_) {
    std::erase_if(watch.watchers, [](const auto& weak) { return weak.expired(); });
    if (watch.watchers.empty()) link_->unsubscribe(base_of(table) + std::string(kChannelEnd));
    if (!watch.watchers.empty()) tables.push_back(table);
  }
  std::erase_if(tables_, [](const auto& one) { return one.second.watchers.empty(); });
  for (const auto& table : tables) read(table);
}

void RedisWatches::read(const std::string& table) {
  TableWatch& watch = tables_[table];
  watch.again = watch.reading;
  if (!link_ || watch.reading) return;
  watch.reading = true;
  link_->send({.script = RedisScript::changes,
               .args = {base_of(table), watch.last ? fmt::format("{}", *watch.last) : "",
                        fmt::format("{}", kMostRead)},
               .done = [this, table, link = link_](Result<Reply> reply) {
                 if (link == link_) on_changes(table, std::move(reply));
               }});
}

void RedisWatches::on_changes(const std::string& table, Result<Reply> reply) {
  const auto found = tables_.find(table);
  if (found == tables_.end()) return;
  TableWatch& watch = found->second;
  watch.reading = false;
  const bool good = reply && reply->kind == Reply::Kind::list && !reply->items.empty();
  if (!good) return failed_(reply ? refused(*reply) : reply.error());
  const Version last = version_in(reply->items.front().text);
  const bool lost = last < watch.seen;  // The server has begun anew, or gone back: read everything.
  watch.seen = last;
  if (lost) {
    watch.last = kAbsent;
    return read(table);
  }
  const std::size_t count = watch.last ? report(table, watch, *reply) : 0;
  if (count < kMostRead) watch.last = std::max(watch.last.value_or(last), last);
  if (count >= kMostRead || watch.again) read(table);
}

// How many changes there were.
std::size_t RedisWatches::report(const std::string& table, TableWatch& watch, const Reply& reply) {
  std::size_t count = 0;
  for (std::size_t i = 1; i + 2 < reply.items.size(); i += 3, ++count) {
    Change change{reply.items[i].text, std::nullopt, version_in(reply.items[i + 1].text)};
    watch.last = std::max(*watch.last, change.version);
    if (const std::string& entry = reply.items[i + 2].text; !entry.empty()) {
      auto value = open_value(keys_, table, change.key, sealed_in(entry));
      if (!value) continue;
      change.value = *std::move(value);
    }
    for (const auto& weak : watch.watchers) {
      const auto watcher = weak.lock();
      if (!watcher) continue;
      watcher->owner.post([weak, change] {
        if (const auto one = weak.lock()) one->notify(change);
      });
    }
  }
  return count;
}

}  // namespace patchbay::store
