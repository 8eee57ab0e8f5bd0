#include "agent/agent.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <malloc.h>

#include <cerrno>
#include <charconv>
#include <cstdlib>
#include <cstring>
#include <list>

#include "agent/connection.h"
#include "core/discard.h"
#include "core/text.h"
#include "net/io/local_listener.h"
#include "net/io/socket.h"
#include "net/process/orphans.h"
#include "net/process/signals.h"
#include "sandbox/inside.h"

extern char** environ;

namespace patchbay::agent {
namespace {

constexpr int kFilesWaiting = 4096;  // Requests about files that wait for a thread.
constexpr int kLargeBlock = 256 * 1024;
constexpr std::size_t kShortestToken = 16;
constexpr std::string_view kTokenMissing =
    "other users and web pages can reach a TCP port, also on loopback: give --token-file FILE, "
    "with "
    "a token made by `openssl rand -hex 32 > FILE`, or listen on unix:PATH";
constexpr auto kStopTimeout = std::chrono::seconds(10);  // For file operations in progress.

// A socket that the agent listens on.
struct ListenSocket {
  std::string name;  // As configured, with the port that was assigned.
  net::Fd socket;
  std::string path;  // Of a Unix socket, to be removed at the end.
  // Whether a connection reveals that its peer has disconnected, and not only the end of its input.
  bool detects_disconnect = false;
  // Being able to connect proves nothing: other users of this machine, and web pages in their
  // browsers, can reach every TCP port, also on loopback.
  bool needs_token = false;
};

Error cannot_listen(std::string_view where, std::string_view why) {
  return {Code::invalid_params, fmt::format("cannot listen on '{}': {}", where, why)};
}

Result<ListenSocket> open_unix(const std::string& where, const std::string& path) {
  auto socket = net::listen_unix(path);
  if (!socket) return cannot_listen(where, socket.error().message);
  return ListenSocket{where, *std::move(socket), path, true};
}

Result<ListenSocket> open_tcp(const std::string& where, std::string_view text) {
  auto address = net::parse_address(text);
  if (!address) return cannot_listen(where, address.error().message);
  auto socket = net::listen_on(*address, false);
  if (!socket) return cannot_listen(where, socket.error().message);
  auto bound = net::local_address(socket->get());
  if (!bound) return bound.error();
  return ListenSocket{"tcp:" + bound->text(), *std::move(socket), "", false, true};
}

Result<ListenSocket> open_vsock(const std::string& where, std::string_view text) {
  unsigned port = 0;
  const auto [end, fault] = std::from_chars(text.data(), text.data() + text.size(), port);
  if (fault != std::errc() || end != text.data() + text.size()) {
    return cannot_listen(where, "a port is a number, such as vsock:52");
  }
  auto socket = net::listen_vsock(port);
  if (!socket) return cannot_listen(where, socket.error().message);
  return ListenSocket{where, *std::move(socket), "", false};
}

Result<ListenSocket> open_listener(const std::string& where) {
  const std::string_view text = where;
  if (text.starts_with("unix:")) return open_unix(where, where.substr(5));
  if (text.starts_with("tcp:")) return open_tcp(where, text.substr(4));
  if (text.starts_with("vsock:")) return open_vsock(where, text.substr(6));
  return cannot_listen(where, "write stdio, unix:PATH, tcp:ADDRESS:PORT or vsock:PORT");
}

std::vector<std::string> own_environment() {
  std::vector<std::string> environment;
  for (char** entry = environ; *entry; ++entry) environment.emplace_back(*entry);
  return environment;
}

// Our own copy of a descriptor that others may use too. Its flags are restored at the end.
class Borrowed {
 public:
  explicit Borrowed(int number)
      : fd_(::fcntl(number, F_DUPFD_CLOEXEC, 3)), flags_(::fcntl(number, F_GETFL)) {}
  ~Borrowed() {
    if (fd_ && flags_ >= 0) ::fcntl(fd_.get(), F_SETFL, flags_);
  }
  Borrowed(const Borrowed&) = delete;
  Borrowed& operator=(const Borrowed&) = delete;

  explicit operator bool() const { return static_cast<bool>(fd_); }
  net::Fd copy() const { return net::Fd(::fcntl(fd_.get(), F_DUPFD_CLOEXEC, 3)); }

 private:
  net::Fd fd_;
  int flags_;
};

// Commands must not read requests or write answers, even if they obtain our descriptors.
void close_stdio() {
  const net::Fd nothing(::open("/dev/null", O_RDWR | O_CLOEXEC));
  if (!nothing) return;
  ::dup2(nothing.get(), STDIN_FILENO);
  ::dup2(nothing.get(), STDOUT_FILENO);
}

// The token that peers must present; empty if none is configured.
Result<std::string> read_token(const std::string& file) {
  if (file.empty()) return std::string();
  const net::Fd fd(::open(file.c_str(), O_RDONLY | O_CLOEXEC | O_NOCTTY));
  char bytes[4096];
  const ssize_t size = fd ? ::read(fd.get(), bytes, sizeof bytes) : -1;
  if (size < 0) {
    return Error{Code::invalid_params,
                 fmt::format("cannot read the token in {}: {}", file, std::strerror(errno))};
  }
  const std::string token(trimmed({bytes, static_cast<std::size_t>(size)}));
  if (token.size() < kShortestToken) {
    return Error{Code::invalid_params,
                 fmt::format("the token in {} must have at least {} characters; make one with "
                             "`openssl rand -hex 32`",
                             file, kShortestToken)};
  }
  return token;
}

class Agent {
 public:
  Agent(const Settings& settings, Tree tree, std::string token, std::list<ListenSocket> listeners,
        bool stdio)
      : settings_(settings),
        pool_(static_cast<int>(settings.file_threads), kFilesWaiting),
        background_(settings.max_processes, settings.max_output),
        services_{settings_,         std::move(tree), std::move(token),
                  own_environment(), pool_,           background_},
        listeners_(std::move(listeners)),
        stdio_(stdio) {}

  // Serves until it is over.
  Task<void> run() {
    orphans_.emplace();
    signals_.emplace([this](int) { over_.deliver(ok()); });
    for (auto& listener : listeners_) {
      fmt::print(stderr, "patchbay agent: listening on {}\n", listener.name);
      serving_.spawn(serve(listener));
    }
    if (stdio_) serving_.spawn(serve_stdio());
    auto over = co_await over_.wait();
    discard(over, "stopping is the same however the wait ended");
    for (const auto& listener : listeners_) {
      if (!listener.path.empty()) ::unlink(listener.path.c_str());
    }
    serving_.cancel();
    auto ended = co_await serving_.drain(here().now() + kStopTimeout);
    if (!ended) leave();
    auto stopped = co_await background_.stop();
    if (!stopped) ended = stopped;
    net::Orphans::kill_all();
    signals_.reset();
    orphans_.reset();
    co_return ended;
  }

 private:
  // A disk that does not answer blocks its thread; the agent must not wait for it.
  [[noreturn]] static void leave() {
    fmt::print(stderr, "patchbay agent: a request about files does not end; stopping without it\n");
    net::Child::kill_all();
    net::Orphans::kill_all();
    std::_Exit(EXIT_FAILURE);
  }

  Task<void> serve(ListenSocket& opened) {
    net::Source listener(std::move(opened.socket));
    for (;;) {
      auto socket = co_await net::accept_next(listener);
      if (!socket) co_return socket.error();
      if (connections_ >= settings_.max_connections) continue;  // Closed at once.
      net::set_no_delay(socket->get());
      net::notice_dead_peer(socket->get());
      serving_.spawn(serve_socket(*std::move(socket), opened.detects_disconnect));
    }
  }

  Task<void> serve_socket(net::Fd socket, bool detects_disconnect) {
    ++connections_;
    Connection::Options options;
    if (!detects_disconnect) options.linger = std::chrono::seconds(settings_.linger_seconds);
    options.trusted = services_.token.empty();
    Connection connection(services_, std::move(socket), options);
    auto served = co_await connection.run();
    --connections_;
    co_return served;
  }

  Task<void> serve_stdio() {
    const Borrowed in(STDIN_FILENO);
    const Borrowed out(STDOUT_FILENO);
    close_stdio();
    if (in && out) {
      Connection::Options options;
      options.strict = false;  // Only the program that started us is connected.
      Connection connection(services_, in.copy(), out.copy(), options);
      auto served = co_await connection.run();
      discard(served, "the end of stdio ends the agent, with or without an error");
    } else {
      fmt::print(stderr, "patchbay agent: stdin or stdout is closed\n");
    }
    over_.deliver(ok());
    co_return ok();
  }

  const Settings& settings_;
  ThreadPool pool_;
  Background background_;
  Services services_;
  std::list<ListenSocket> listeners_;
  const bool stdio_;
  std::uint64_t connections_ = 0;
  Scope serving_;
  OneShot<void> over_;
  std::optional<net::Orphans> orphans_;
  std::optional<net::Signals> signals_;
};

detail::Root run_on_loop(Stop& /*stop*/, net::Loop& loop, Agent& agent) {
  auto done = co_await agent.run();
  discard(done, "the agent has reported its own failure");
  loop.quit();
}

}  // namespace

Result<void> run_agent(const Settings& settings) {
  if (settings.guard) sandbox::guard(sandbox::usual_writable());
  // Large answers are rare, so their memory is returned to the system after they have been sent.
  ::mallopt(M_MMAP_THRESHOLD, kLargeBlock);
  net::block_signals();
  net::Orphans::before_threads();
  Tree tree;
  if (!settings.root.empty()) {
    auto beneath = Tree::beneath(settings.root);
    if (!beneath) return beneath.error();
    tree = *std::move(beneath);
  }
  auto token = read_token(settings.token_file);
  if (!token) return token.error();
  std::list<ListenSocket> listeners;
  bool stdio = settings.listen.empty();
  for (const auto& where : settings.listen) {
    if (where == "stdio") {
      stdio = true;
      continue;
    }
    auto listener = open_listener(where);
    if (!listener) return listener.error();
    if (listener->needs_token && token->empty()) return cannot_listen(where, kTokenMissing);
    listeners.push_back(*std::move(listener));
  }
  net::Loop loop;
  Agent agent(settings, std::move(tree), *std::move(token), std::move(listeners), stdio);
  Stop stop;
  loop.post([&] { run_on_loop(stop, loop, agent); });
  loop.run();
  return ok();
}

}  // namespace patchbay::agent
