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

#include "core/scope.h"
#include "net/local_listener.h"
#include "net/loop.h"
#include "net/relay.h"
#include "net/socket.h"
#include "sandbox/inside.h"

namespace patchbay::sandbox {
namespace {

// The gateway closes what is idle, sooner than this.
constexpr std::chrono::hours kPatience{48};

class Relays {
 public:
  explicit Relays(std::size_t most) : most_(most) {}

  // What is beyond the bound waits in the socket's queue.
  Task<void> serve(net::Fd socket) {
    net::Source listener(std::move(socket));
    for (;;) {
      if (open_.size() >= most_) {
        place_.reset();
        auto free = co_await place_.wait();
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
    place_.deliver(ok());
    co_return moved;
  }

  static Task<void> connect_and_relay(net::Fd socket) {
    auto out = net::connect_unix(std::string(kEgressInside));
    if (!out) co_return out.error();
    net::set_no_delay(socket.get());
    net::Source program(std::move(socket));
    net::Source gateway(*std::move(out));
    net::Relayed moved;
    co_return co_await net::relay(program, gateway, kPatience, moved);
  }

  const std::size_t most_;
  OneShot<void> place_;
  Scope open_;
};

// Nothing but the end of the sandbox ends it.
[[noreturn]] void serve(net::Fd listener, std::size_t most) {
  ::setsid();
  ::signal(SIGPIPE, SIG_IGN);
  ::prctl(PR_SET_NAME, "sandbox-relay");
  // Whoever holds a pipe of the program sees its end.
  const int nowhere = ::open("/dev/null", O_RDWR | O_CLOEXEC);
  for (int fd = 0; fd < 3; ++fd) ::dup2(nowhere, fd);
  guard({});
  net::Loop loop;
  Relays relays(most);
  Scope serving;
  loop.post([&] { serving.spawn(relays.serve(std::move(listener))); });
  loop.run();
  ::_exit(1);
}

}  // namespace

int run_relay(std::span<char* const> words) {
  std::size_t most = 0;
  const std::string_view number = words.empty() ? "" : words[0];
  std::from_chars(number.data(), number.data() + number.size(), most);
  if (words.size() < 3 || most == 0 || std::string_view(words[1]) != "--") {
    std::fprintf(stderr, "`%s` is not for people: the sandbox runs it\n", kRelayWord);
    return 2;
  }
  // Before the program begins, so that it is never too early for the proxy.
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
  if (relay == 0) serve(*std::move(listener), most);
  listener->reset();
  // The words end with the null pointer of main's own.
  ::execvp(words[2], &words[2]);
  std::fprintf(stderr, "cannot run %s: %s\n", words[2], std::strerror(errno));
  return 126;
}

}  // namespace patchbay::sandbox
