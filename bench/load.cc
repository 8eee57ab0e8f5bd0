// load: the load generator. Sends one HTTP request over and over on many kept-alive connections,
// each in a closed loop, and prints one JSON object about the measured window.
//
// The main thread steers the workers and keeps the time. At the beginning and at the end of the
// window it reads the CPU clocks of the watched processes together with the count of calls, so that
// CPU per call is about exactly the calls that were counted.

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "bench/load_worker.h"
#include "bench/options.h"
#include "bench/watched_process.h"

namespace patchbay::bench {
namespace {

using Clock = std::chrono::steady_clock;

constexpr std::string_view kUsage =
    "load --port N --request-file FILE [--setup-file FILE]... [--expect-file FILE]...\n"
    "     [--watch PID]... [--connections 64] [--threads 1] [--seconds 2] [--warmup 0.3]\n"
    "A request file holds the bytes of one HTTP request. {{id}} becomes a number that never\n"
    "repeats, {{session}} the Mcp-Session-Id that a set-up answer gave; Content-Length is written\n"
    "for you. Set-up requests are sent once per connection, in order. What an expect file holds\n"
    "({{id}} too) must be in each sampled answer. Warm-up begins when every connection has had an\n"
    "answer. Prints one JSON object; status 1 when a connection never gets that far.";

struct Workers {
  std::vector<std::unique_ptr<LoadWorker>> all;
  std::vector<std::jthread> threads;

  void stop() {
    for (auto& worker : all) worker->stopping = true;
    for (auto& thread : threads) thread.join();
  }
  void measure(bool on) {
    for (auto& worker : all) worker->measuring = on;
  }
  std::size_t ready() const {
    std::size_t sum = 0;
    for (const auto& worker : all) sum += worker->connections_ready;
    return sum;
  }
  std::string first_error() const {
    for (const auto& worker : all) {
      if (!worker->first_error.empty()) return worker->first_error;
    }
    return "";
  }
};

// The state of everything counted, at one moment.
struct Reading {
  Clock::time_point when;
  std::uint64_t calls = 0;
  std::uint64_t errors = 0;
  std::int64_t own_cpu = 0;
  std::vector<std::int64_t> watched_cpu;
  std::vector<std::int64_t> watched_rss;
};

Reading take_reading(const Workers& workers, const std::vector<int>& watched) {
  Reading reading;
  for (int pid : watched) reading.watched_rss.push_back(resident_kib(pid));
  for (int pid : watched) reading.watched_cpu.push_back(cpu_nanoseconds(pid));
  reading.own_cpu = cpu_nanoseconds(getpid());
  reading.when = Clock::now();
  for (const auto& worker : workers.all) {
    reading.calls += worker->calls;
    reading.errors += worker->errors;
  }
  return reading;
}

std::string json_string(std::string_view text) {
  std::string quoted = "\"";
  for (char c : text) {
    if (c == '"' || c == '\\') quoted += '\\';
    quoted += c >= 0x20 && c < 0x7f ? c : '?';
  }
  return quoted + '"';
}

std::string report(const Workers& workers, const Reading& from, const Reading& to,
                   const std::vector<int>& watched) {
  Latency latency;
  for (const auto& worker : workers.all) latency.merge(worker->latency);
  auto calls = static_cast<double>(to.calls - from.calls);
  auto seconds = std::chrono::duration<double>(to.when - from.when).count();
  auto per_call = [calls](std::int64_t nanoseconds) {
    return calls > 0 ? static_cast<double>(nanoseconds) / 1000.0 / calls : 0.0;
  };
  std::string processes;
  for (std::size_t i = 0; i < watched.size(); ++i) {
    processes += fmt::format(R"({}{{"pid":{},"cpu_us_per_call":{:.3f},"rss_kib":{}}})",
                             i == 0 ? "" : ",", watched[i],
                             per_call(to.watched_cpu[i] - from.watched_cpu[i]), to.watched_rss[i]);
  }
  return fmt::format(
      R"({{"calls":{},"seconds":{:.3f},"calls_per_s":{:.1f},"p50_us":{:.1f},"p99_us":{:.1f},)"
      R"("errors":{},"first_error":{},"load_cpu_us_per_call":{:.3f},"watched":[{}]}})",
      to.calls - from.calls, seconds, calls / seconds, latency.microseconds_at(0.5),
      latency.microseconds_at(0.99), to.errors, json_string(workers.first_error()),
      per_call(to.own_cpu - from.own_cpu), processes);
}

Plan plan_from(const Options& options) {
  Plan plan;
  plan.port = static_cast<std::uint16_t>(options.number("--port", 0));
  plan.spins = options.number("--spin", 0) != 0;
  for (const auto& path : options.all("--setup-file")) {
    plan.setup.push_back(RequestTemplate::from_file(path));
  }
  plan.request = RequestTemplate::from_file(options.text("--request-file"));
  for (const auto& path : options.all("--expect-file")) plan.expect.push_back(whole_file(path));
  return plan;
}

Workers start_workers(const Plan& plan, std::size_t connections, std::size_t threads) {
  constexpr std::uint64_t kIdsEach = 100'000'000;  // Threads never share an id.
  Workers workers;
  for (std::size_t i = 0; i < threads; ++i) {
    auto share = connections / threads + (i < connections % threads ? 1 : 0);
    workers.all.push_back(std::make_unique<LoadWorker>(plan, share, kFirstId + i * kIdsEach));
    workers.threads.emplace_back([worker = workers.all.back().get()] { worker->run(); });
  }
  return workers;
}

bool all_ready(const Workers& workers, std::size_t connections) {
  auto give_up = Clock::now() + std::chrono::seconds(10);
  while (workers.ready() < connections) {
    if (Clock::now() > give_up) return false;
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
  return true;
}

int main(int argc, char** argv) {
  Options options(argc, argv, kUsage,
                  {"--port", "--request-file", "--setup-file", "--expect-file", "--watch",
                   "--connections", "--threads", "--seconds", "--warmup", "--spin"});
  const auto plan = plan_from(options);
  auto connections = static_cast<std::size_t>(options.number("--connections", 64));
  auto threads = std::clamp<std::size_t>(static_cast<std::size_t>(options.number("--threads", 1)),
                                         1, std::max<std::size_t>(connections, 1));
  std::vector<int> watched;
  for (const auto& pid : options.all("--watch")) watched.push_back(std::atoi(pid.c_str()));

  auto workers = start_workers(plan, connections, threads);
  if (!all_ready(workers, connections)) {
    workers.stop();
    fmt::print(stderr, "{} of {} connections became ready; first error: {}\n", workers.ready(),
               connections, workers.first_error());
    return 1;
  }
  std::this_thread::sleep_for(std::chrono::duration<double>(options.seconds("--warmup", 0.3)));
  workers.measure(true);
  auto from = take_reading(workers, watched);
  std::this_thread::sleep_for(std::chrono::duration<double>(options.seconds("--seconds", 2)));
  auto to = take_reading(workers, watched);
  workers.measure(false);
  workers.stop();
  fmt::print("{}\n", report(workers, from, to, watched));
  return 0;
}

}  // namespace
}  // namespace patchbay::bench

int main(int argc, char** argv) { return patchbay::bench::main(argc, argv); }
