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

// Rights that have come with later versions than the headers we are built with.
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

// The second word of a ruleset, and the third: ports, and what reaches out of the sandbox by name.
struct Ruleset {
  std::uint64_t files;
  std::uint64_t network;
  std::uint64_t scoped;
};
constexpr std::uint64_t kAbstractSockets = 1;
constexpr std::uint64_t kSignals = 2;

void allow(const net::Fd& rules, const char* path, std::uint64_t rights) {
  const net::Fd place(::open(path, O_PATH | O_CLOEXEC));
  if (!place) return;
  landlock_path_beneath_attr rule{rights, place.get()};
  ::syscall(SYS_landlock_add_rule, rules.get(), LANDLOCK_RULE_PATH_BENEATH, &rule, 0);
}

void restrict_files(const std::vector<std::string>& writable) {
  const long version = ::syscall(SYS_landlock_create_ruleset, nullptr, 0, 1);
  if (version < 1) return;
  const std::uint64_t more = (version >= 2 ? kRefer : 0) | (version >= 3 ? kTruncate : 0);
  const std::uint64_t devices = version >= 5 ? kIoctl : 0;
  Ruleset handled{kRead | kWrite | kNodes | more | devices, 0,
                  version >= 6 ? kAbstractSockets | kSignals : 0};
  // Older kernels take fewer words.
  const std::size_t size = version >= 6 ? 24 : version >= 4 ? 16 : 8;
  const net::Fd rules(static_cast<int>(::syscall(SYS_landlock_create_ruleset, &handled, size, 0)));
  if (!rules) return;
  allow(rules, "/", kRead);
  for (const auto& path : writable) allow(rules, path.c_str(), kRead | kWrite | more);
  // The few devices, terminals of one's own, and what a process may say about itself.
  allow(rules, "/dev", kRead | LANDLOCK_ACCESS_FS_WRITE_FILE | (more & kTruncate) | devices);
  allow(rules, "/proc", kRead | LANDLOCK_ACCESS_FS_WRITE_FILE);
  ::syscall(SYS_landlock_restrict_self, rules.get(), 0);
}

[[noreturn]] void become(char* const* words) {
  ::execvp(words[0], words);
  const int why = errno;
  std::fprintf(stderr, "cannot run %s: %s\n", words[0], std::strerror(why));
  ::_exit(why == ENOENT ? 127 : 126);
}

// Reaps until `program` has ended; yields how, as a shell has it.
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

int run_inside(std::span<char* const> words) {
  std::vector<std::string> writable = usual_writable();
  std::size_t at = 0;
  while (at < words.size() && std::string_view(words[at]) != "--")
    writable.emplace_back(words[at++]);
  if (at + 1 >= words.size()) {
    std::fprintf(stderr, "`%s` is not for people: the sandbox runs it\n", kInsideWord);
    return 2;
  }
  guard(writable);
  const pid_t program = ::fork();
  if (program < 0) return 1;
  // The words end with the null pointer of main's own.
  if (program == 0) become(&words[at + 1]);
  // Whoever holds a pipe of the program sees its end.
  for (int fd = 0; fd < 2; ++fd) ::close(fd);
  return wait_for(program);
}

}  // namespace patchbay::sandbox
