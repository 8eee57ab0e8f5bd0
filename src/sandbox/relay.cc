#include "sandbox/relay.h"

#include <fcntl.h>
#include <sys/prctl.h>
#include <unistd.h>

#include <cerrno>
#include <charconv>
#include <chrono>
#include <csignal>
#include <cstdio>
#include <cstring>
#include <string>

#include "async/scope.h"
#include "net/io/local_listener.h"
#include "net/io/loop.h"
#include "net/io/relay.h"
#include "net/io/socket.h"
#include "sandbox/inside.h"

namespace patchbay::sandbox {
namespace {

// The gateway closes idle connections sooner than this.
constexpr std::chrono::hours kTimeout{48};

class Relays {
 public:
  Relays(std::size_t most, std::chrono::milliseconds half_open)
      : most_(most), timeout_{kTimeout, half_open} {}

  // Further connections wait in the socket's queue.
  Task<void> serve(net::Fd socket) {
    net::Source listener(std::move(socket));
    for (;;) {
      if (open_.size() >= most_) {
        slot_.reset();
        auto free = co_await slot_.wait();
        if (!free) co_return free;
        continue;
      }
      auto program = co_await net::accept_next(listener);
      if (!program) co_return program.error();
      open_.spawn(pass_on(*std::move(program)));
    }
  }

 private:
  Task<void> pass_on(net::Fd socket) {
    auto moved = co_await connect_and_relay(std::move(socket));
    slot_.deliver(ok());
    co_return moved;
  }

  Task<void> connect_and_relay(net::Fd socket) {
    auto out = net::connect_unix(std::string(kEgressInside));
    if (!out) co_return out.error();
    net::set_no_delay(socket.get());
    net::Source program(std::move(socket));
    net::Source gateway(*std::move(out));
    net::Relayed moved;
    co_return co_await net::relay(program, gateway, timeout_, moved);
  }

  const std::size_t most_;
  const net::RelayTimeouts timeout_;
  OneShot<void> slot_;
  Scope open_;
};

// Only the end of the sandbox ends it.
[[noreturn]] void serve(net::Fd listener, std::size_t most, std::chrono::milliseconds half_open) {
  ::setsid();
  ::signal(SIGPIPE, SIG_IGN);
  ::prctl(PR_SET_NAME, "sandbox-relay");
  // So that readers of the program's pipes get the end of file.
  const int nowhere = ::open("/dev/null", O_RDWR | O_CLOEXEC);
  for (int fd = 0; fd < 3; ++fd) ::dup2(nowhere, fd);
  guard({});
  net::Loop loop;
  Relays relays(most, half_open);
  Scope serving;
  loop.post([&] { serving.spawn(relays.serve(std::move(listener))); });
  loop.run();
  ::_exit(1);
}

// 0 if there is none.
std::uint32_t number_in(std::span<char* const> args, std::size_t at) {
  std::uint32_t number = 0;
  const std::string_view text = at < args.size() ? args[at] : "";
  std::from_chars(text.data(), text.data() + text.size(), number);
  return number;
}

}  // namespace

int run_relay(std::span<char* const> args) {
  const auto most = number_in(args, 0);
  const auto half_open = number_in(args, 1);
  if (args.size() < 4 || most == 0 || half_open == 0 || std::string_view(args[2]) != "--") {
    std::fprintf(stderr, "`%s` is internal: only the sandbox runs it\n", kRelayCommand);
    return 2;
  }
  // Before the program starts, so that the proxy is always ready.
  auto address = net::parse_address(kProxyAddress);
  auto listener = address ? net::listen_on(*address, false) : Result<net::Fd>(address.error());
  if (!listener) {
    std::fprintf(stderr, "cannot offer a proxy in the sandbox: %s\n",
                 listener.error().message.c_str());
    return 1;
  }
  const pid_t relay = ::fork();
  if (relay < 0) {
    std::fprintf(stderr, "cannot start the proxy in the sandbox: %s\n", std::strerror(errno));
    return 1;
  }
  if (relay == 0) serve(*std::move(listener), most, std::chrono::milliseconds(half_open));
  listener->reset();
  // `args` ends with the null pointer of main's argv.
  ::execvp(args[3], &args[3]);
  std::fprintf(stderr, "cannot run %s: %s\n", args[3], std::strerror(errno));
  return 126;
}

}  // namespace patchbay::sandbox
