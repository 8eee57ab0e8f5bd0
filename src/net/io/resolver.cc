#include "net/io/resolver.h"

#include <fmt/format.h>
#include <netdb.h>
#include <netinet/in.h>

#include <condition_variable>
#include <cstring>
#include <deque>
#include <map>
#include <memory>
#include <mutex>
#include <thread>

#include "async/one_shot.h"

namespace patchbay::net {
namespace {

using std::chrono::seconds;

constexpr auto kKeepFound = seconds(30);
constexpr auto kKeepFailed = seconds(2);
constexpr std::size_t kStored = 1024;  // Names.
constexpr std::size_t kWaiting = 256;  // Lookups.
// A name whose servers do not answer must not delay the others.
constexpr std::size_t kThreads = 4;
constexpr std::size_t kAddresses = 16;  // Of one name.

using Found = Result<std::vector<Address>>;

Found ask_system(const std::string& host) {
  addrinfo hints{};
  hints.ai_socktype = SOCK_STREAM;
  addrinfo* found = nullptr;
  const int failed = ::getaddrinfo(host.c_str(), nullptr, &hints, &found);
  const std::unique_ptr<addrinfo, decltype(&::freeaddrinfo)> keep(found, &::freeaddrinfo);
  std::vector<Address> addresses;
  for (const addrinfo* one = found; one && addresses.size() < kAddresses; one = one->ai_next) {
    if (one->ai_family != AF_INET && one->ai_family != AF_INET6) continue;
    Address address;
    std::memcpy(&address.storage, one->ai_addr, one->ai_addrlen);
    address.size = one->ai_addrlen;
    addresses.push_back(address);
  }
  if (!addresses.empty()) return addresses;
  const char* const why = failed != 0 ? ::gai_strerror(failed) : "it has no address";
  return Error{Code::unavailable, fmt::format("cannot find {}: {}", host, why)};
}

void set_port(Address& address, int port) {
  const auto in_order = htons(static_cast<std::uint16_t>(port));
  if (address.storage.ss_family == AF_INET6) {
    reinterpret_cast<sockaddr_in6*>(&address.storage)->sin6_port = in_order;
  } else {
    reinterpret_cast<sockaddr_in*>(&address.storage)->sin_port = in_order;
  }
}

// One name that a task waits for. Shared by that task and a thread of the resolver.
struct Question {
  explicit Question(std::string name) : host(std::move(name)) {}

  // Any thread. Ignored once the task has stopped waiting.
  void notify(const std::shared_ptr<Question>& self, Found found) {
    const std::lock_guard lock(mutex);
    if (!caller) return;
    caller->post(
        [self, found = std::move(found)]() mutable { self->answer.deliver(std::move(found)); });
  }

  // The executor of the task may be gone after this.
  void leave() {
    const std::lock_guard lock(mutex);
    caller = nullptr;
  }

  const std::string host;
  std::mutex mutex;
  Executor* caller = &here();  // Guarded by the mutex.

  // Used by the thread of the task only.
  OneShot<std::vector<Address>> answer;
};

class Resolver {
 public:
  // Never destroyed: a thread that waits for a name server cannot be interrupted, and the end of
  // the process must not wait for it.
  static Resolver& of_process() {
    static auto* const resolver = new Resolver;
    return *resolver;
  }

  std::optional<Found> stored(const std::string& host) {
    const std::lock_guard lock(mutex_);
    return stored_now(host);
  }

  Result<void> put(std::shared_ptr<Question> question) {
    const std::lock_guard lock(mutex_);
    if (waiting_.size() >= kWaiting) {
      return Error{Code::overloaded, "too many host names are being looked up"};
    }
    waiting_.push_back(std::move(question));
    if (idle_ < waiting_.size() && threads_.size() < kThreads) {
      threads_.emplace_back([this] { work(); });
    }
    changed_.notify_one();
    return ok();
  }

 private:
  struct Stored {
    Found found;
    Clock::time_point until;
  };

  // REQUIRES: the mutex is held.
  std::optional<Found> stored_now(const std::string& host) {
    const auto at = stored_.find(host);
    if (at == stored_.end()) return std::nullopt;
    if (at->second.until > Clock::now()) return at->second.found;
    stored_.erase(at);
    return std::nullopt;
  }

  // REQUIRES: the mutex is held.
  void keep(const std::string& host, const Found& found) {
    const auto now = Clock::now();
    if (stored_.size() >= kStored)
      std::erase_if(stored_, [&](auto& one) { return one.second.until <= now; });
    if (stored_.size() >= kStored) stored_.clear();
    stored_[host] = {found, now + (found ? kKeepFound : kKeepFailed)};
  }

  void work() {
    std::unique_lock lock(mutex_);
    for (;;) {
      ++idle_;
      changed_.wait(lock, [this] { return !waiting_.empty(); });
      --idle_;
      const auto question = std::move(waiting_.front());
      waiting_.pop_front();
      // Another task may have looked up the same name a moment ago.
      auto found = stored_now(question->host);
      if (!found) {
        lock.unlock();
        found = ask_system(question->host);
        lock.lock();
        keep(question->host, *found);
      }
      lock.unlock();
      question->notify(question, *std::move(found));
      lock.lock();
    }
  }

  // All guarded by the mutex.
  std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<std::shared_ptr<Question>> waiting_;
  std::map<std::string, Stored> stored_;
  std::vector<std::thread> threads_;
  std::size_t idle_ = 0;
};

}  // namespace

Task<std::vector<Address>> look_up(std::string host, int port, Deadline deadline) {
  auto addresses = numeric_addresses(host, port);
  if (!addresses.empty()) co_return addresses;
  auto found = Resolver::of_process().stored(host);
  if (!found) {
    const auto question = std::make_shared<Question>(host);
    auto put = Resolver::of_process().put(question);
    if (!put) co_return put.error();
    found = co_await question->answer.wait(deadline);
    question->leave();
  }
  if (*found) {
    for (auto& address : **found) set_port(address, port);
  }
  co_return *std::move(found);
}

}  // namespace patchbay::net
