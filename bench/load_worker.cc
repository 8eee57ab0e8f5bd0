#include "bench/load_worker.h"

#include <fmt/format.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <sys/uio.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstring>
#include <thread>

#include "bench/sockets.h"

namespace patchbay::bench {
namespace {

using Clock = std::chrono::steady_clock;

// One answer in this many is stored whole and compared with the expected one; so is the first.
constexpr std::uint64_t kSampleEvery = 64;

// An answer that is not sampled is searched for an error in this much of its beginning.
bool looks_like_error(std::string_view body) {
  auto beginning = body.substr(0, 512);
  return beginning.find("\"error\"") != body.npos ||
         beginning.find("\"isError\":true") != body.npos;
}

std::string with_id(std::string text, std::uint64_t id) {
  constexpr std::string_view kPosition = "{{id}}";
  auto digits = digits_of(id);
  for (auto at = text.find(kPosition); at != text.npos; at = text.find(kPosition)) {
    text.replace(at, kPosition.size(), digits.data(), digits.size());
  }
  return text;
}

}  // namespace

struct LoadWorker::Connection {
  int socket = -1;
  std::size_t setup_done = 0;
  Request request;
  std::size_t sent = 0;
  std::uint64_t id = 0;
  std::uint64_t answered = 0;
  bool sampled = false;
  bool waits_to_write = false;
  Clock::time_point started;
  ResponseReader reader;
};

LoadWorker::LoadWorker(const Plan& plan, std::size_t connections, std::uint64_t first_id)
    : plan_(plan), epoll_(make_epoll()), next_id_(first_id), buffer_(512 * 1024) {
  for (std::size_t i = 0; i < connections; ++i) {
    connections_.push_back(std::make_unique<Connection>());
  }
}

LoadWorker::~LoadWorker() {
  for (auto& connection : connections_) {
    if (connection->socket >= 0) close(connection->socket);
  }
  close(epoll_);
}

void LoadWorker::run() {
  for (auto& connection : connections_) open(*connection);
  std::array<epoll_event, 256> events;
  while (!stopping.load(std::memory_order_relaxed)) {
    const int timeout = plan_.spins ? 0 : 50;
    int ready = epoll_wait(epoll_, events.data(), static_cast<int>(events.size()), timeout);
    for (int i = 0; i < ready; ++i) {
      const auto& event = events[static_cast<std::size_t>(i)];
      auto& connection = *static_cast<Connection*>(event.data.ptr);
      if ((event.events & EPOLLOUT) != 0) go_on_sending(connection);
      if ((event.events & ~static_cast<std::uint32_t>(EPOLLOUT)) != 0) receive(connection);
    }
  }
}

void LoadWorker::open(Connection& connection) {
  connection.socket = connect_to(plan_.port);
  if (connection.socket < 0) {
    count_error(connection, fmt::format("cannot connect: {}", std::strerror(errno)));
    return;
  }
  connection.waits_to_write = false;
  epoll_add(epoll_, connection.socket, EPOLLIN, &connection);
  if (connection.setup_done < plan_.setup.size()) {
    connection.request = plan_.setup[connection.setup_done].make(connection.reader.session());
  } else {
    connection.request = plan_.request.make(connection.reader.session());
  }
  send_next(connection);
}

void LoadWorker::reopen(Connection& connection) {
  close(connection.socket);  // Which takes it out of the epoll set.
  open(connection);
}

void LoadWorker::send_next(Connection& connection) {
  connection.id = next_id_++;
  connection.request.set_id(connection.id);
  connection.sent = 0;
  connection.sampled = connection.answered % kSampleEvery == 0;
  connection.reader.restart(connection.sampled);
  connection.started = Clock::now();
  go_on_sending(connection);
}

void LoadWorker::go_on_sending(Connection& connection) {
  const auto& request = connection.request;
  while (connection.sent < request.size()) {
    std::string_view own = request.own;
    auto shared = request.shared;
    own.remove_prefix(std::min(connection.sent, own.size()));
    shared.remove_prefix(
        connection.sent < request.own.size() ? 0 : connection.sent - request.own.size());
    std::array<iovec, 2> parts{{{const_cast<char*>(own.data()), own.size()},
                                {const_cast<char*>(shared.data()), shared.size()}}};
    msghdr message{};
    message.msg_iov = parts.data();
    message.msg_iovlen = shared.empty() ? 1 : parts.size();
    ssize_t count = sendmsg(connection.socket, &message, MSG_NOSIGNAL);
    if (count < 0) {
      if (errno != EAGAIN) return;  // A broken connection is detected when it is read.
      if (!connection.waits_to_write) {
        epoll_change(epoll_, connection.socket, EPOLLIN | EPOLLOUT, &connection);
        connection.waits_to_write = true;
      }
      return;
    }
    connection.sent += static_cast<std::size_t>(count);
  }
  if (connection.waits_to_write) {
    epoll_change(epoll_, connection.socket, EPOLLIN, &connection);
    connection.waits_to_write = false;
  }
}

void LoadWorker::receive(Connection& connection) {
  ssize_t count = read(connection.socket, buffer_.data(), buffer_.size());
  if (count < 0 && errno == EAGAIN) return;
  if (count > 0) {
    std::string_view bytes(buffer_.data(), static_cast<std::size_t>(count));
    if (connection.reader.feed(bytes) < bytes.size()) {
      count_error(connection, "more bytes than one answer");
      return reopen(connection);
    }
  } else {
    connection.reader.end_of_stream();
  }
  if (connection.reader.broken()) {
    count_error(connection, count > 0 ? "not an HTTP answer" : "connection ended mid-call");
    return reopen(connection);
  }
  if (connection.reader.done()) finish(connection);
}

void LoadWorker::finish(Connection& connection) {
  if (connection.setup_done < plan_.setup.size()) {
    finish_setup(connection);
  } else {
    finish_call(connection);
  }
  if (connection.reader.closes()) {
    reopen(connection);
  } else {
    send_next(connection);
  }
}

void LoadWorker::finish_setup(Connection& connection) {
  const auto& reader = connection.reader;
  if (reader.status() < 200 || reader.status() > 299 || looks_like_error(reader.body())) {
    count_error(connection, "set-up refused");
    std::this_thread::sleep_for(
        std::chrono::milliseconds(10));  // An immediate retry would not help.
    return;
  }
  ++connection.setup_done;
  if (connection.setup_done < plan_.setup.size()) {
    connection.request = plan_.setup[connection.setup_done].make(reader.session());
  } else {
    connection.request = plan_.request.make(reader.session());
  }
}

void LoadWorker::finish_call(Connection& connection) {
  if (measuring.load(std::memory_order_relaxed)) {
    auto took = Clock::now() - connection.started;
    latency.add(static_cast<std::uint64_t>(
        std::chrono::duration_cast<std::chrono::nanoseconds>(took).count()));
  }
  if (!is_good(connection)) count_error(connection, "unexpected answer");
  // Only this thread writes it, so no locked increment is needed.
  calls.store(calls.load(std::memory_order_relaxed) + 1, std::memory_order_relaxed);
  if (++connection.answered == 1) ++connections_ready;
}

bool LoadWorker::is_good(const Connection& connection) const {
  const auto& reader = connection.reader;
  if (reader.status() != 200 || looks_like_error(reader.body())) return false;
  if (!connection.sampled) return true;
  for (const auto& expected : plan_.expect) {
    if (reader.body().find(with_id(expected, connection.id)) == std::string_view::npos)
      return false;
  }
  return true;
}

void LoadWorker::count_error(const Connection& connection, std::string_view what) {
  ++errors;
  if (!first_error.empty()) return;
  first_error = fmt::format("{}: status {}, body {}", what, connection.reader.status(),
                            connection.reader.body().substr(0, 300));
}

}  // namespace patchbay::bench
