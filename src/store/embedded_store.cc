#include "store/embedded_store.h"

#include <fmt/format.h>
#include <sys/stat.h>

#include <algorithm>
#include <filesystem>
#include <system_error>
#include <utility>

#include "observe/log.h"

namespace patchbay::store {
namespace {

constexpr std::size_t kMostInTransaction = 1'000;
constexpr std::size_t kMostReported = 1'000;  // Changes that are read at once.
constexpr std::size_t kMostPurged = 500;      // Entries that are removed at once.
constexpr auto kPurgeInterval = std::chrono::seconds(10);
// How often it looks for changes of other processes, while anybody watches.
constexpr auto kLookInterval = std::chrono::seconds(1);

}  // namespace

// The waiting task may end early, so both sides own the job.
template <class T>
class EmbeddedStore::JobFor final : public Job {
 public:
  using Work = std::function<Result<T>(EmbeddedTables&, Time)>;
  JobFor(bool changes, Executor& from, Work work)
      : Job(changes), from_(from), work_(std::move(work)) {}

  Result<void> run(EmbeddedTables& tables, Time now) override {
    result_.emplace(work_(tables, now));
    return *result_ ? ok() : Result<void>(result_->error());
  }
  void fail(const Error& why) override { result_.emplace(why); }
  void answer(std::shared_ptr<Job> self) override {
    from_.post([this, self = std::move(self)] { answer_.deliver(*std::move(result_)); });
  }
  auto wait(Deadline deadline) { return answer_.wait(deadline); }

 private:
  Executor& from_;
  const Work work_;
  std::optional<Result<T>> result_;
  OneShot<T> answer_;
};

class EmbeddedStore::WatchHandle final : public Watch {
 public:
  explicit WatchHandle(std::shared_ptr<Watcher> watcher) : watcher_(std::move(watcher)) {}

 private:
  const std::shared_ptr<Watcher> watcher_;
};

Result<std::unique_ptr<EmbeddedStore>> EmbeddedStore::open(const std::string& state,
                                                           const policy::Keyring& keys) {
  if (!state.empty()) {
    std::error_code fault;
    if (std::filesystem::create_directories(state, fault)) ::chmod(state.c_str(), 0700);
    if (fault) {
      return Error{Code::internal,
                   fmt::format("cannot create the folder {}: {}", state, fault.message())};
    }
  }
  auto tables = EmbeddedTables::open(state.empty() ? ":memory:" : file_in(state), keys);
  if (!tables) return tables.error();
  return std::unique_ptr<EmbeddedStore>(new EmbeddedStore(*std::move(tables), !state.empty()));
}

EmbeddedStore::EmbeddedStore(EmbeddedTables tables, bool outlives)
    : outlives_(outlives), tables_(std::move(tables)) {
  bytes_ = tables_.size();
  tables_.set_max_size(bounds_.size);
}

void EmbeddedStore::set_bounds(const Bounds& bounds) {
  const std::lock_guard lock(mutex_);
  bounds_ = bounds;
}

void EmbeddedStore::close() {
  {
    const std::lock_guard lock(mutex_);
    stopping_ = true;
  }
  changed_.notify_all();
  if (thread_.joinable()) thread_.join();
}

Status EmbeddedStore::status() const {
  const std::lock_guard lock(mutex_);
  return {.queued = waiting_.size(), .failures = failures_, .bytes = bytes_};
}

Result<void> EmbeddedStore::enter(std::shared_ptr<Job> job) {
  const std::lock_guard lock(mutex_);
  if (stopping_) return Error{Code::unavailable, "the store is closed"};
  if (waiting_.size() >= bounds_.queue) {
    return Error{Code::overloaded,
                 "too many requests wait for the store (cluster.max_store_queue)"};
  }
  try {
    if (!thread_.joinable()) thread_ = std::thread([this] { work(); });
  } catch (const std::system_error&) {
    return Error{Code::overloaded, "there is no thread for the store"};
  }
  waiting_.push_back(std::move(job));
  changed_.notify_one();
  return ok();
}

template <class T>
Task<T> EmbeddedStore::request(bool changes, std::function<Result<T>(EmbeddedTables&, Time)> work,
                               Deadline deadline) {
  const auto job = std::make_shared<JobFor<T>>(changes, here(), std::move(work));
  auto entered = enter(job);
  if (!entered) {
    ++failures_;
    co_return entered.error();
  }
  auto wait = job->wait(deadline);
  co_return co_await wait;
}

Task<std::optional<Entry>> EmbeddedStore::get(const Table& table, std::string key,
                                              Deadline deadline) {
  using Found = std::optional<Entry>;
  return request<Found>(
      false,
      [name = table.name, key = std::move(key)](EmbeddedTables& tables, Time now) -> Result<Found> {
        return tables.get(name, key, now);
      },
      deadline);
}

Task<Version> EmbeddedStore::put(const Table& table, Item item, Deadline deadline) {
  return request<Version>(
      true,
      [name = table.name, item = std::move(item)](EmbeddedTables& tables, Time) -> Result<Version> {
        return tables.put(name, item);
      },
      deadline);
}

Task<std::optional<Version>> EmbeddedStore::put_if(const Table& table, Item item, Version expected,
                                                   Deadline deadline) {
  using Done = std::optional<Version>;
  return request<Done>(
      true,
      [name = table.name, item = std::move(item), expected](EmbeddedTables& tables, Time now)
          -> Result<Done> { return tables.put_if(name, item, expected, now); },
      deadline);
}

Task<void> EmbeddedStore::erase(const Table& table, std::string key, Deadline deadline) {
  return request<void>(
      true,
      [name = table.name, key = std::move(key)](EmbeddedTables& tables, Time now) -> Result<void> {
        return tables.erase(name, key, now);
      },
      deadline);
}

Task<std::vector<Entry>> EmbeddedStore::scan(const Table& table, std::string after,
                                             std::size_t most, Deadline deadline) {
  using Found = std::vector<Entry>;
  return request<Found>(
      false,
      [name = table.name, after = std::move(after), most](EmbeddedTables& tables, Time now)
          -> Result<Found> { return tables.scan(name, after, most, now); },
      deadline);
}

Task<std::int64_t> EmbeddedStore::add(const Table& table, std::string key, std::int64_t delta,
                                      Time expires, Deadline deadline) {
  return request<std::int64_t>(
      true,
      [name = table.name, key = std::move(key), delta, expires](EmbeddedTables& tables, Time now)
          -> Result<std::int64_t> { return tables.add(name, key, delta, expires, now); },
      deadline);
}

Task<std::chrono::microseconds> EmbeddedStore::advance(const Table& table, std::string key,
                                                       std::chrono::microseconds by,
                                                       Deadline deadline) {
  using Ahead = std::chrono::microseconds;
  return request<Ahead>(
      true,
      [name = table.name, key = std::move(key), by](EmbeddedTables& tables, Time now)
          -> Result<Ahead> { return tables.advance(name, key, by, now); },
      deadline);
}

// The job makes the thread look at its watchers, and so decides from which change on they are
// notified.
std::unique_ptr<Watch> EmbeddedStore::watch(const Table& table, Executor& owner,
                                            std::function<void(const Change&)> notify) {
  std::shared_ptr<Watcher> watcher(new Watcher{std::string(table.name), owner, std::move(notify)});
  {
    const std::lock_guard lock(mutex_);
    watchers_.push_back(watcher);
  }
  JobFor<void>::Work nothing = [](EmbeddedTables&, Time) { return ok(); };
  auto entered = enter(std::make_shared<JobFor<void>>(false, owner, std::move(nothing)));
  if (!entered) {
    ++failures_;
    log::Line(log::Level::error, "store not watched").add("why", entered.error().message);
  }
  return std::make_unique<WatchHandle>(std::move(watcher));
}

std::vector<std::shared_ptr<EmbeddedStore::Watcher>> EmbeddedStore::watchers() {
  std::vector<std::shared_ptr<Watcher>> found;
  const std::lock_guard lock(mutex_);
  std::erase_if(watchers_, [&](const auto& weak) {
    auto one = weak.lock();
    if (one) found.push_back(std::move(one));
    return weak.expired();
  });
  return found;
}

void EmbeddedStore::work() {
  std::unique_lock lock(mutex_);
  for (;;) {
    const auto most = watchers_.empty() ? kPurgeInterval : kLookInterval;
    changed_.wait_for(lock, most, [this] { return stopping_ || !waiting_.empty(); });
    if (stopping_ && waiting_.empty()) return;
    const auto count = static_cast<std::ptrdiff_t>(std::min(waiting_.size(), kMostInTransaction));
    const Jobs jobs(std::move_iterator(waiting_.begin()),
                    std::move_iterator(waiting_.begin() + count));
    waiting_.erase(waiting_.begin(), waiting_.begin() + count);
    const std::uint64_t size = bounds_.size;
    lock.unlock();
    tables_.set_max_size(size);
    begin_reports();
    run_jobs(jobs);
    report_changes();
    purge_some();
    lock.lock();
  }
}

void EmbeddedStore::run_jobs(const Jobs& jobs) {
  if (jobs.empty()) return;
  const Time now = std::chrono::system_clock::now();
  const bool changes = std::ranges::any_of(jobs, [](const auto& job) { return job->changes(); });
  auto done = changes ? tables_.begin() : ok();
  for (const auto& job : jobs) {
    if (!done) break;
    auto ran = job->run(tables_, now);
    if (ran) continue;
    ++failures_;
    // A file that cannot be written fails for all; a bound only for the one that meets it.
    if (job->changes() && ran.error().code == Code::internal) done = ran;
  }
  if (changes && done) done = tables_.commit();
  if (!done) {
    if (changes) tables_.roll_back();
    log::Line(log::Level::error, "store not written").add("why", done.error().message);
    for (const auto& job : jobs) job->fail(done.error());
  }
  bytes_ = tables_.size();
  for (const auto& job : jobs) job->answer(job);
}

// Before the changes that are queued are made: the first watcher is notified of all of them.
void EmbeddedStore::begin_reports() {
  const bool any = !watchers().empty();
  if (std::exchange(watched_, any) || !any) return;
  if (const auto last = tables_.last_version()) reported_ = *last;
}

// Changes of this process and of others are found in the same way.
void EmbeddedStore::report_changes() {
  const auto all = watchers();
  if (all.empty()) return;
  for (bool more = true; more;) {
    auto changes = tables_.changes_after(reported_, kMostReported);
    if (!changes) {
      ++failures_;
      log::Line(log::Level::error, "store not read").add("why", changes.error().message);
      return;
    }
    for (const auto& [table, change] : changes->list) {
      for (const auto& one : all) {
        if (one->table != table) continue;
        one->owner.post([weak = std::weak_ptr(one), change] {
          if (const auto watcher = weak.lock()) watcher->notify(change);
        });
      }
    }
    reported_ = changes->last;
    more = changes->more;
  }
}

void EmbeddedStore::purge_some() {
  const Deadline now = Clock::now();
  if (now < next_purge_) return;
  auto purged = tables_.purge(std::chrono::system_clock::now(), kMostPurged);
  if (!purged) {
    ++failures_;
    log::Line(log::Level::error, "store not written").add("why", purged.error().message);
  }
  // If there are more, they are next.
  if (!purged || *purged < kMostPurged) next_purge_ = now + kPurgeInterval;
  bytes_ = tables_.size();
}

}  // namespace patchbay::store
