// LoadWorker: one thread of the load generator and its connections, in a closed loop: a connection
// sends its next request when the answer to the last one is complete.
//
// run() runs on the worker's own thread. The main thread observes and controls it through the
// atomics; the rest is read by the main thread only after run() has returned.

#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "bench/latency.h"
#include "bench/request_template.h"
#include "bench/response_reader.h"

namespace patchbay::bench {

// The job; the same for all workers.
struct Plan {
  std::uint16_t port = 0;
  std::vector<RequestTemplate> setup;  // Sent first, in order, once per connection.
  RequestTemplate request;
  std::vector<std::string> expect;  // Each must be in a sampled answer; may hold {{id}}.
  // Never sleeps: else a server that is slower than us pays for waking us, and one that is faster
  // does not. Costs a processor.
  bool spins = false;
};

class LoadWorker {
 public:
  LoadWorker(const Plan& plan, std::size_t connections, std::uint64_t first_id);
  ~LoadWorker();

  void run();

  // Steered by the main thread.
  std::atomic<bool> measuring = false;
  std::atomic<bool> stopping = false;

  // Followed by the main thread.
  std::atomic<std::size_t> connections_ready = 0;  // Set up, and answered once.
  std::atomic<std::uint64_t> calls = 0;
  std::atomic<std::uint64_t> errors = 0;

  // For the main thread after run().
  Latency latency;
  std::string first_error;

 private:
  struct Connection;

  void open(Connection& connection);
  void reopen(Connection& connection);
  void send_next(Connection& connection);
  void go_on_sending(Connection& connection);
  void receive(Connection& connection);
  void finish(Connection& connection);
  void finish_setup(Connection& connection);
  void finish_call(Connection& connection);
  bool is_good(const Connection& connection) const;
  void count_error(const Connection& connection, std::string_view what);

  const Plan& plan_;
  int epoll_;
  std::uint64_t next_id_;
  std::vector<std::unique_ptr<Connection>> connections_;
  std::vector<char> buffer_;
};

}  // namespace patchbay::bench
