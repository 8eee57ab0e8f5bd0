// Times single requests of the store on a Redis server, one after the other: from the thread of the
// caller to that of the store, over loopback, and back. Prints one JSON object per operation:
// microseconds, median and 99th percentile.
//
// usage: store_latency redis://127.0.0.1:6379
#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <functional>
#include <string>
#include <vector>

#include "async/scope.h"
#include "core/discard.h"
#include "net/io/loop.h"
#include "store/redis/redis_store.h"

namespace {

using namespace patchbay;

constexpr store::Table kTable{"latency"};
constexpr int kRequests = 20'000;

Task<void> time_one(std::string name, std::function<Task<bool>(int)> request) {
  std::vector<double> times;
  for (int i = 0; i < kRequests; ++i) {
    const auto begun = Clock::now();
    auto done = co_await request(i);
    if (!done) co_return done.error();
    times.push_back(std::chrono::duration<double, std::micro>(Clock::now() - begun).count());
  }
  std::ranges::sort(times);
  fmt::print(R"({{"operation":"{}","p50_us":{:.0f},"p99_us":{:.0f}}})"
             "\n",
             name, times[kRequests / 2], times[kRequests * 99 / 100]);
  co_return ok();
}

template <class T>
Task<bool> succeeded(Task<T> task) {
  auto done = co_await task;
  if (!done) co_return done.error();
  co_return true;
}

Task<void> time_all(store::Store& store) {
  const auto key = [](int i) { return fmt::format("{}", i % 1000); };
  const auto expires = std::chrono::system_clock::now() + std::chrono::minutes(10);
  const std::vector<std::pair<std::string, std::function<Task<bool>(int)>>> requests{
      {"put",
       [&](int i) {
         return succeeded(store.put(kTable, {key(i), std::string(200, 'x'), expires}, kNever));
       }},
      {"get", [&](int i) { return succeeded(store.get(kTable, key(i), kNever)); }},
      {"put_if", [&](int i) { return succeeded(store.put_if(kTable, {key(i), "x"}, 1, kNever)); }},
      {"add", [&](int i) { return succeeded(store.add(kTable, key(i), 1, expires, kNever)); }}};
  for (const auto& [name, request] : requests) {
    auto done = co_await time_one(name, request);
    if (!done) co_return done.error();
  }
  co_return ok();
}

}  // namespace

int main(int argc, char** argv) {
  const policy::Keyring keys({std::string(32, 'k')});
  store::RedisSettings settings;
  settings.url = argc > 1 ? argv[1] : "redis://127.0.0.1:6379";
  auto opened = store::RedisStore::open(settings, keys);
  int code = 0;
  if (!opened) {
    fmt::print(stderr, "{}\n", opened.error().message);
    return 1;
  }
  net::Loop loop;
  Scope scope;
  auto all = [&]() -> Task<void> {
    auto done = co_await time_all(**opened);
    if (!done) {
      fmt::print(stderr, "{}\n", done.error().message);
      code = 1;
    }
    loop.quit();
    co_return ok();
  };
  loop.post([&] { scope.spawn(all()); });
  loop.run();
  (*opened)->close();
  return code;
}
