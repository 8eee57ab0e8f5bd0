// wire_load: the load generator for the wire protocol on TCP. It has a fixed number of calls in
// flight on one connection, in a closed loop: each answer triggers the next request. Prints the
// same JSON object as `load`, about the measured window.
//
// One thread. It looks for the correlation_id and the expected text in each answer and reads
// nothing else, so that its own cost is small.

#include <fmt/format.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <chrono>
#include <cstdlib>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "bench/latency.h"
#include "bench/options.h"
#include "bench/request_template.h"
#include "bench/sockets.h"
#include "bench/watched_process.h"

namespace patchbay::bench {
namespace {

using Clock = std::chrono::steady_clock;

constexpr std::string_view kUsage =
    "wire_load --port N --request-file FILE [--expect-file FILE]... [--watch PID]...\n"
    "          [--in-flight 256] [--seconds 2] [--warmup 0.3]\n"
    "A request file holds one MCP message; {{id}} becomes a number that never repeats. What an\n"
    "expect file holds must be in each answer. Prints one JSON object.";

constexpr std::string_view kInitialize =
    R"({"jsonrpc":"2.0","id":{{id}},"method":"initialize","params":{"protocolVersion":"2025-11-25",)"
    R"("capabilities":{},"clientInfo":{"name":"bench","version":"1"}}})";
constexpr std::string_view kCorrelation = R"("correlation_id":")";

class Load {
 public:
  Load(std::uint16_t port, std::string request, std::vector<std::string> expect)
      : socket_(connect_to(port)), request_(std::move(request)), expect_(std::move(expect)) {
    if (socket_ < 0) fail("cannot connect");
  }
  ~Load() { close(socket_); }

  // Sends HELLO, as every client does, and waits for the answer.
  void open() {
    send_message(kInitialize);
    while (sent_at_.size() > 0) step();
    calls = 0;
  }

  void send_one() { send_message(request_); }

  // Writes and reads what is possible, and waits if that is nothing.
  void step() {
    if (!out_.empty()) {
      const auto written = send(socket_, out_.data(), out_.size(), MSG_NOSIGNAL | MSG_DONTWAIT);
      if (written > 0) out_.erase(0, static_cast<std::size_t>(written));
    }
    char buffer[256 * 1024];
    const auto got = recv(socket_, buffer, sizeof buffer, MSG_DONTWAIT);
    if (got == 0) fail("the gateway closed the connection");
    if (got < 0) {
      pollfd waiting{socket_, static_cast<short>(POLLIN | (out_.empty() ? 0 : POLLOUT)), 0};
      poll(&waiting, 1, 1000);
      return;
    }
    in_.append(buffer, static_cast<std::size_t>(got));
    take_frames();
  }

  std::uint64_t calls = 0;
  std::uint64_t errors = 0;
  std::string first_error;
  Latency latency;
  bool calling = false;
  bool measuring = false;

 private:
  void send_message(std::string_view of) {
    const std::string id = std::to_string(next_id_++);
    std::string message(of);
    for (auto at = message.find("{{id}}"); at != std::string::npos; at = message.find("{{id}}")) {
      message.replace(at, 6, id);
    }
    const std::string envelope = fmt::format(
        R"({{"id":"{}","timestamp":"2026-01-15T10:30:45.123Z","source":"bench","mcp_payload":{}}})",
        id, message);
    out_ += "MC\x01";
    for (int shift = 24; shift >= 0; shift -= 8) {
      out_ += static_cast<char>(envelope.size() >> shift & 0xff);
    }
    out_ += envelope;
    sent_at_[id] = Clock::now();
  }

  void take_frames() {
    std::size_t at = 0;
    while (in_.size() - at >= 7) {
      std::size_t size = 0;
      for (std::size_t i = 3; i < 7; ++i) {
        size = size << 8 | static_cast<unsigned char>(in_[at + i]);
      }
      if (in_.size() - at < 7 + size) break;
      take(in_[at + 2], std::string_view(in_).substr(at + 7, size));
      at += 7 + size;
    }
    in_.erase(0, at);
  }

  void take(char type, std::string_view payload) {
    if (type == 2) return;  // A PING; the run is shorter than its timeout.
    const auto begin = payload.find(kCorrelation);
    const auto id = begin == std::string_view::npos
                        ? std::string_view()
                        : payload.substr(begin + kCorrelation.size(),
                                         payload.find('"', begin + kCorrelation.size()) - begin -
                                             kCorrelation.size());
    const auto sent = sent_at_.find(std::string(id));
    bool good = type == 1 && sent != sent_at_.end();
    for (const auto& text : expect_) {
      good &= !calling || payload.find(text) != std::string_view::npos;
    }
    if (!good) {
      ++errors;
      if (first_error.empty()) first_error = payload.substr(0, 200);
    }
    if (sent != sent_at_.end()) {
      if (measuring) {
        latency.add(static_cast<std::uint64_t>((Clock::now() - sent->second).count()));
      }
      sent_at_.erase(sent);
    }
    ++calls;
    if (calling) send_one();
  }

  const int socket_;
  const std::string request_;
  const std::vector<std::string> expect_;
  // The gateway refuses an id that an earlier run has used.
  std::uint64_t next_id_ =
      static_cast<std::uint64_t>(std::chrono::duration_cast<std::chrono::microseconds>(
                                     std::chrono::system_clock::now().time_since_epoch())
                                     .count());
  std::string in_;
  std::string out_;
  std::unordered_map<std::string, Clock::time_point> sent_at_;
};

struct Reading {
  Clock::time_point when;
  std::uint64_t calls;
  std::int64_t own_cpu;
  std::vector<std::int64_t> cpu;
};

Reading take_reading(const Load& load, const std::vector<int>& watched) {
  Reading reading{Clock::now(), load.calls, cpu_nanoseconds(getpid()), {}};
  for (const int pid : watched) reading.cpu.push_back(cpu_nanoseconds(pid));
  return reading;
}

std::string json_string(std::string_view text) {
  std::string quoted = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\') quoted += '\\';
    quoted += c >= 0x20 && c < 0x7f ? c : '?';
  }
  return quoted + '"';
}

void report(const Load& load, const Reading& from, const Reading& to,
            const std::vector<int>& watched) {
  const auto calls = static_cast<double>(to.calls - from.calls);
  const double seconds = std::chrono::duration<double>(to.when - from.when).count();
  std::string processes;
  for (std::size_t i = 0; i < watched.size(); ++i) {
    processes += fmt::format(
        R"({}{{"pid":{},"cpu_us_per_call":{:.3f},"rss_kib":{}}})", i == 0 ? "" : ",", watched[i],
        static_cast<double>(to.cpu[i] - from.cpu[i]) / 1000.0 / calls, resident_kib(watched[i]));
  }
  fmt::print(
      R"({{"calls":{},"seconds":{:.3f},"calls_per_s":{:.1f},"p50_us":{:.1f},"p99_us":{:.1f},)"
      R"("errors":{},"first_error":{},"load_cpu_us_per_call":{:.3f},"watched":[{}]}})"
      "\n",
      to.calls - from.calls, seconds, calls / seconds, load.latency.microseconds_at(0.5),
      load.latency.microseconds_at(0.99), load.errors, json_string(load.first_error),
      static_cast<double>(to.own_cpu - from.own_cpu) / 1000.0 / calls, processes);
}

int main(int argc, char** argv) {
  Options options(argc, argv, kUsage,
                  {"--port", "--request-file", "--expect-file", "--watch", "--in-flight",
                   "--seconds", "--warmup"});
  std::vector<int> watched;
  for (const auto& pid : options.all("--watch")) watched.push_back(std::atoi(pid.c_str()));
  std::vector<std::string> expect;
  for (const auto& path : options.all("--expect-file")) expect.push_back(whole_file(path));
  Load load(static_cast<std::uint16_t>(options.number("--port", 0)),
            whole_file(options.text("--request-file")), expect);
  const auto run_for = [&load](double seconds) {
    const auto end = Clock::now() + std::chrono::duration<double>(seconds);
    while (Clock::now() < end) load.step();
  };
  load.open();
  load.calling = true;
  for (std::int64_t i = options.number("--in-flight", 256); i > 0; --i) load.send_one();
  run_for(options.seconds("--warmup", 0.3));
  load.measuring = true;
  const Reading from = take_reading(load, watched);
  run_for(options.seconds("--seconds", 2));
  const Reading to = take_reading(load, watched);
  if (to.calls == from.calls) fail("no answer came");
  report(load, from, to, watched);
  return 0;
}

}  // namespace
}  // namespace patchbay::bench

int main(int argc, char** argv) { return patchbay::bench::main(argc, argv); }
