#include "sandbox/inside.h"

#include <fcntl.h>
#include <linux/landlock.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <csignal>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <string_view>

#include "net/io/fd.h"

namespace patchbay::sandbox {
namespace {

// Rights that later kernels have than the headers we are built with.
constexpr std::uint64_t kRefer = std::uint64_t{1} << 13;     // Version 2.
constexpr std::uint64_t kTruncate = std::uint64_t{1} << 14;  // Version 3.
constexpr std::uint64_t kIoctl = std::uint64_t{1} << 15;     // Version 5.

constexpr std::uint64_t kRead =
    LANDLOCK_ACCESS_FS_EXECUTE | LANDLOCK_ACCESS_FS_READ_FILE | LANDLOCK_ACCESS_FS_READ_DIR;
constexpr std::uint64_t kWrite = LANDLOCK_ACCESS_FS_WRITE_FILE | LANDLOCK_ACCESS_FS_REMOVE_DIR |
                                 LANDLOCK_ACCESS_FS_REMOVE_FILE | LANDLOCK_ACCESS_FS_MAKE_DIR |
                                 LANDLOCK_ACCESS_FS_MAKE_REG | LANDLOCK_ACCESS_FS_MAKE_SOCK |
                                 LANDLOCK_ACCESS_FS_MAKE_FIFO | LANDLOCK_ACCESS_FS_MAKE_SYM;
constexpr std::uint64_t kNodes = LANDLOCK_ACCESS_FS_MAKE_CHAR | LANDLOCK_ACCESS_FS_MAKE_BLOCK;

// The second and third member of a ruleset: ports, and abstract sockets and signals.
struct Ruleset {
  std::uint64_t files;
  std::uint64_t network;
  std::uint64_t scoped;
};
constexpr std::uint64_t kAbstractSockets = 1;
constexpr std::uint64_t kSignals = 2;

void allow(const net::Fd& rules, const char* path, std::uint64_t rights) {
  const net::Fd opened(::open(path, O_PATH | O_CLOEXEC));
  if (!opened) return;
  landlock_path_beneath_attr rule{rights, opened.get()};
  ::syscall(SYS_landlock_add_rule, rules.get(), LANDLOCK_RULE_PATH_BENEATH, &rule, 0);
}

void restrict_files(const std::vector<std::string>& writable) {
  const long version = ::syscall(SYS_landlock_create_ruleset, nullptr, 0, 1);
  if (version < 1) return;
  const std::uint64_t more = (version >= 2 ? kRefer : 0) | (version >= 3 ? kTruncate : 0);
  const std::uint64_t devices = version >= 5 ? kIoctl : 0;
  Ruleset handled{kRead | kWrite | kNodes | more | devices, 0,
                  version >= 6 ? kAbstractSockets | kSignals : 0};
  // Older kernels accept fewer members.
  const std::size_t size = version >= 6 ? 24 : version >= 4 ? 16 : 8;
  const net::Fd rules(static_cast<int>(::syscall(SYS_landlock_create_ruleset, &handled, size, 0)));
  if (!rules) return;
  allow(rules, "/", kRead);
  for (const auto& path : writable) allow(rules, path.c_str(), kRead | kWrite | more);
  // The few devices, private terminals, and settings of the process itself.
  allow(rules, "/dev", kRead | LANDLOCK_ACCESS_FS_WRITE_FILE | (more & kTruncate) | devices);
  allow(rules, "/proc", kRead | LANDLOCK_ACCESS_FS_WRITE_FILE);
  ::syscall(SYS_landlock_restrict_self, rules.get(), 0);
}

[[noreturn]] void become(char* const* args) {
  ::execvp(args[0], args);
  const int why = errno;
  std::fprintf(stderr, "cannot run %s: %s\n", args[0], std::strerror(why));
  ::_exit(why == ENOENT ? 127 : 126);
}

// Reaps until `program` has ended; yields its status, as a shell does.
int wait_for(pid_t program) {
  for (;;) {
    int status = 0;
    const pid_t ended = ::waitpid(-1, &status, 0);
    if (ended < 0 && errno != EINTR) return 1;
    if (ended != program) continue;
    return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
  }
}

}  // namespace

std::vector<std::string> usual_writable() { return {"/workspace", "/tmp", "/dev/shm"}; }

void guard(const std::vector<std::string>& writable) {
  ::prctl(PR_SET_DUMPABLE, 0);
  ::prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
  restrict_files(writable);
}

int run_inside(std::span<char* const> args) {
  std::vector<std::string> writable = usual_writable();
  std::size_t at = 0;
  while (at < args.size() && std::string_view(args[at]) != "--") writable.emplace_back(args[at++]);
  if (at + 1 >= args.size()) {
    std::fprintf(stderr, "`%s` is internal: only the sandbox runs it\n", kInsideCommand);
    return 2;
  }
  guard(writable);
  const pid_t program = ::fork();
  if (program < 0) return 1;
  // `args` ends with the null pointer of main's argv.
  if (program == 0) become(&args[at + 1]);
  // So that readers of the program's pipes get the end of file.
  for (int fd = 0; fd < 2; ++fd) ::close(fd);
  return wait_for(program);
}

}  // namespace patchbay::sandbox
