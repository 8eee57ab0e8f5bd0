#include "store/redis/redis_store.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <system_error>
#include <utility>

#include "core/discard.h"
#include "observe/log.h"
#include "store/redis/entry.h"
#include "store/sealed_value.h"

namespace patchbay::store {
namespace {

constexpr std::size_t kMostScanned = 500;  // Keys that one script looks at.
constexpr auto kLeastPause = std::chrono::milliseconds(100);
constexpr auto kMostPause = std::chrono::seconds(5);
// How often it asks for changes without having been told that there are some.
constexpr auto kLookInterval = std::chrono::seconds(10);

// How long it is until then, as the server counts it: its clock may differ.
std::string remaining(Time expires) {
  if (expires == Time::max()) return "";
  const auto left = expires - std::chrono::system_clock::now();
  return fmt::format("{}", std::chrono::ceil<std::chrono::milliseconds>(left).count());
}

}  // namespace

struct RedisStore::Job {
  Executor& from;
  std::optional<RedisScript> script;
  std::vector<std::string> args;
  bool changes = false;
  OneShot<Reply> answer = {};
};

class RedisStore::WatchHandle final : public Watch {
 public:
  explicit WatchHandle(std::shared_ptr<RedisWatches::Watcher> watcher)
      : watcher_(std::move(watcher)) {}

 private:
  const std::shared_ptr<RedisWatches::Watcher> watcher_;
};

Result<std::unique_ptr<RedisStore>> RedisStore::open(const RedisSettings& settings,
                                                     const policy::Keyring& keys) {
  auto address = parse_redis_address(settings.url);
  if (!address) {
    return Error{Code::invalid_params,
                 fmt::format("cluster.redis.url: {}", address.error().message)};
  }
  std::shared_ptr<const net::TlsContext> tls;
  if (address->server.tls) {
    auto context = net::TlsContext::client(settings.tls);
    if (!context) {
      return Error{Code::invalid_params,
                   fmt::format("cluster.redis.tls: {}", context.error().message)};
    }
    tls = *std::move(context);
  }
  std::unique_ptr<RedisStore> store(
      new RedisStore(settings, *std::move(address), std::move(tls), keys));
  try {
    store->thread_ = std::thread([one = store.get()] { one->loop_.run(); });
  } catch (const std::system_error&) {
    return Error{Code::overloaded, "there is no thread for the store"};
  }
  return store;
}

RedisStore::RedisStore(const RedisSettings& settings, RedisAddress address,
                       std::shared_ptr<const net::TlsContext> tls, const policy::Keyring& keys)
    : settings_(settings),
      address_(std::move(address)),
      tls_(std::move(tls)),
      keys_(keys),
      watches_(keys, settings.prefix, [this](const Error& why) {
        ++failures_;
        log::Line(log::Level::warn, "store not read").add("why", why.message);
      }) {
  loop_.post([this] {
    tasks_.spawn(keep_connected());
    tasks_.spawn(look_at_tables());
  });
}

void RedisStore::close() {
  if (closed_.exchange(true) || !thread_.joinable()) return;
  loop_.post([this] { last_.spawn(end()); });
  thread_.join();
}

Status RedisStore::status() const {
  const std::lock_guard lock(mutex_);
  return {.queued = queued_,
          .failures = failures_,
          .connected = state_ == State::connected,
          .problem = problem_};
}

std::string RedisStore::base_of(const Table& table) const {
  return fmt::format("{}:{}", settings_.prefix, table.name);
}

Task<Reply> RedisStore::request(std::shared_ptr<Job> job, Deadline deadline) {
  if (closed_) co_return Error{Code::unavailable, "the store is closed"};
  if (queued_.fetch_add(1) >= most_queued_) {
    --queued_;
    ++failures_;
    co_return Error{Code::overloaded,
                    "too many requests wait for the store (cluster.max_store_queue)"};
  }
  const bool changes = job->changes;
  loop_.post([this, job] { take(job); });
  auto wait = job->answer.wait(deadline);
  auto reply = co_await wait;
  if (!reply && reply.error().code == Code::timeout) {
    co_return Error{Code::timeout, fmt::format("the store did not answer in time{}",
                                               changes ? "; the change may have been made" : "")};
  }
  if (reply && reply->kind == Reply::Kind::error) co_return refused(*reply);
  co_return reply;
}

Task<std::optional<Entry>> RedisStore::get(const Table& table, std::string key, Deadline deadline) {
  const std::string_view name = table.name;
  std::shared_ptr<Job> job(
      new Job{here(), std::nullopt, {"GET", fmt::format("{}:e:{}", base_of(table), key)}});
  auto reply = co_await request(std::move(job), deadline);
  if (!reply) co_return reply.error();
  if (reply->kind == Reply::Kind::null) co_return std::optional<Entry>();
  auto value = open_value(keys_, name, key, sealed_in(reply->text));
  if (!value) co_return value.error();
  co_return Entry{std::move(key), *std::move(value), version_in(reply->text)};
}

Task<std::optional<Version>> RedisStore::change(const Table& table, Item item, std::string expected,
                                                Deadline deadline) {
  const std::string sealed = seal_value(keys_, table.name, item.key, item.value);
  std::shared_ptr<Job> job(new Job{
      here(),
      RedisScript::put,
      {base_of(table), std::move(item.key), sealed, std::move(expected), remaining(item.expires)},
      true});
  auto reply = co_await request(std::move(job), deadline);
  if (!reply) co_return reply.error();
  if (reply->kind == Reply::Kind::null) co_return std::optional<Version>();
  co_return version_in(reply->text);
}

Task<Version> RedisStore::put(const Table& table, Item item, Deadline deadline) {
  auto version = co_await change(table, std::move(item), "", deadline);
  if (!version) co_return version.error();
  co_return version->value_or(kAbsent);
}

Task<std::optional<Version>> RedisStore::put_if(const Table& table, Item item, Version expected,
                                                Deadline deadline) {
  return change(table, std::move(item), fmt::format("{}", expected), deadline);
}

Task<void> RedisStore::erase(const Table& table, std::string key, Deadline deadline) {
  std::shared_ptr<Job> job(
      new Job{here(), RedisScript::erase, {base_of(table), std::move(key)}, true});
  auto reply = co_await request(std::move(job), deadline);
  if (!reply) co_return reply.error();
  co_return ok();
}

Task<std::vector<Entry>> RedisStore::scan(const Table& table, std::string after, std::size_t most,
                                          Deadline deadline) {
  const std::string_view name = table.name;
  const std::string base = base_of(table);
  std::vector<Entry> found;
  while (found.size() < most) {
    const std::size_t count = std::min(kMostScanned, most - found.size());
    std::shared_ptr<Job> job(
        new Job{here(), RedisScript::scan, {base, std::move(after), fmt::format("{}", count)}});
    auto reply = co_await request(std::move(job), deadline);
    if (!reply) co_return reply.error();
    if (reply->items.empty()) co_return refused(*reply);
    for (std::size_t i = 1; i + 1 < reply->items.size(); i += 2) {
      std::string& key = reply->items[i].text;
      const std::string& entry = reply->items[i + 1].text;
      auto value = open_value(keys_, name, key, sealed_in(entry));
      if (value) found.push_back({std::move(key), *std::move(value), version_in(entry)});
    }
    after = std::move(reply->items.front().text);
    if (after.empty()) break;
  }
  co_return found;
}

Task<std::int64_t> RedisStore::add(const Table& table, std::string key, std::int64_t delta,
                                   Time expires, Deadline deadline) {
  std::shared_ptr<Job> job(
      new Job{here(),
              RedisScript::add,
              {base_of(table), std::move(key), fmt::format("{}", delta), remaining(expires)},
              true});
  auto reply = co_await request(std::move(job), deadline);
  if (!reply) co_return reply.error();
  if (reply->kind != Reply::Kind::number) co_return refused(*reply);
  co_return reply->number;
}

Task<std::chrono::microseconds> RedisStore::advance(const Table& table, std::string key,
                                                    std::chrono::microseconds by,
                                                    Deadline deadline) {
  std::shared_ptr<Job> job(new Job{here(),
                                   RedisScript::advance,
                                   {base_of(table), std::move(key), fmt::format("{}", by.count())},
                                   true});
  auto reply = co_await request(std::move(job), deadline);
  if (!reply) co_return reply.error();
  if (reply->kind != Reply::Kind::number) co_return refused(*reply);
  co_return std::chrono::microseconds(reply->number);
}

std::unique_ptr<Watch> RedisStore::watch(const Table& table, Executor& owner,
                                         std::function<void(const Change&)> notify) {
  std::shared_ptr<RedisWatches::Watcher> watcher(
      new RedisWatches::Watcher{std::string(table.name), owner, std::move(notify)});
  loop_.post([this, weak = std::weak_ptr(watcher)] { watches_.add(weak); });
  return std::make_unique<WatchHandle>(std::move(watcher));
}

void RedisStore::take(const std::shared_ptr<Job>& job) {
  if (link_) return send(job);
  if (state_ == State::connecting && !ending_) {
    waiting_.push_back(job);
    return;
  }
  finish(job, Error{Code::unavailable, ending_ ? "the store is closed" : status().problem});
}

void RedisStore::send(const std::shared_ptr<Job>& job) {
  link_->send({.script = job->script,
               .args = std::move(job->args),
               .changes = job->changes,
               .done = [this, job](Result<Reply> reply) { finish(job, std::move(reply)); }});
}

void RedisStore::finish(std::shared_ptr<Job> job, Result<Reply> reply) {
  if (!reply || reply->kind == Reply::Kind::error) ++failures_;
  if (--queued_ == 0 && ending_) idle_.deliver(ok());
  Executor& from = job->from;
  from.post([job = std::move(job), reply = std::move(reply)]() mutable {
    job->answer.deliver(std::move(reply));
  });
}

void RedisStore::fail_waiting(const Error& why) {
  for (const auto& job : std::exchange(waiting_, {})) finish(job, why);
}

void RedisStore::set_state(State state, const std::string& why) {
  const std::lock_guard lock(mutex_);
  state_ = state;
  problem_ = why;
}

Task<void> RedisStore::keep_connected() {
  std::chrono::nanoseconds pause = kLeastPause;
  for (;;) {
    auto ended = co_await use_link();
    if (ending_) co_return ok();
    const bool was_connected = state_ == State::connected;
    const std::string why = fmt::format("cluster.redis.url: the store at {} cannot be used: {}",
                                        address_.text(), ended.error().message);
    if (was_connected) {
      // Requests wait for the next attempt.
      log::Line(log::Level::warn, "store connection lost").add("why", ended.error().message);
      set_state(State::connecting, why);
      pause = kLeastPause;
    } else {
      if (state_ == State::connecting) {
        log::Line(log::Level::error, "store unreachable").add("why", why);
      }
      set_state(State::unreachable, why);
      fail_waiting(Error{Code::unavailable, why});
    }
    auto slept = co_await sleep_until(Clock::now() + pause);
    if (!slept) co_return ok();
    pause = std::min<std::chrono::nanoseconds>(2 * pause, kMostPause);
  }
}

// Yields why there is no connection, or none any more.
Task<void> RedisStore::use_link() {
  const Deadline deadline = Clock::now() + std::chrono::nanoseconds(settings_.connect_timeout);
  auto opened = co_await RedisLink::open(address_, tls_, deadline);
  if (!opened) co_return opened.error();
  link_ = *std::move(opened);
  set_state(State::connected, "");
  log::Line(log::Level::info, "store connected").add("server", address_.text());
  for (const auto& job : std::exchange(waiting_, {})) send(job);
  watches_.use(link_.get());
  const std::function<void(const Reply&)> notify = [this](const Reply& push) {
    watches_.on_push(push);
  };
  auto ended = co_await link_->read(settings_.request_timeout, notify);
  watches_.use(nullptr);
  const auto link = std::move(link_);
  link->fail(ended.error().message);
  co_return ended;
}

Task<void> RedisStore::look_at_tables() {
  for (;;) {
    auto slept = co_await sleep_until(Clock::now() + kLookInterval);
    if (!slept) co_return ok();
    watches_.look();
  }
}

Task<void> RedisStore::end() {
  ending_ = true;
  if (queued_ > 0 && state_ != State::unreachable) {
    auto done =
        co_await idle_.wait(Clock::now() + std::chrono::nanoseconds(settings_.request_timeout));
    discard(done, "what is left fails");
  }
  tasks_.cancel();
  auto ended = co_await tasks_.drain(kNever);
  discard(ended, "cancelled tasks end");
  fail_waiting(Error{Code::unavailable, "the store is closed"});
  loop_.quit();
  co_return ok();
}

}  // namespace patchbay::store
