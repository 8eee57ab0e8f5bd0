#include "net/process/spawn.h"

#include <fcntl.h>
#include <sched.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>

#include <cerrno>
#include <csignal>
#include <new>

namespace patchbay::net {
namespace {

constexpr std::size_t kStack = 64 * 1024;  // For the few calls before exec.

// Shared by both sides until the child has started its program.
struct Birth {
  const NewProgram* program;
  pid_t parent;
  sigset_t no_signals;
  int fault = 0;
  const char* what = "exec";
};

#if defined(PATCHBAY_NO_POOLS)
// A sanitizer has state of its own that two processes must not share: the child gets a copy of our
// memory, and only the Birth is shared.
constexpr int kSharing = CLONE_VFORK;
#else
constexpr int kSharing = CLONE_VFORK | CLONE_VM;
#endif

int fail(Birth& birth, const char* what) {
  birth.fault = errno;
  birth.what = what;
  return 127;
}

// The descriptor that is moved to a number may have such a number itself.
bool take_descriptors(const std::array<int, 4>& wanted) {
  std::array<int, 4> from = wanted;
  constexpr int kSpareFds = 4;
  for (int& fd : from) {
    if (fd >= 0 && fd < kSpareFds) fd = ::fcntl(fd, F_DUPFD_CLOEXEC, kSpareFds);
  }
  for (int number = 0; number < kSpareFds; ++number) {
    const int fd = from[static_cast<std::size_t>(number)];
    if (fd >= 0 && ::dup2(fd, number) < 0) return false;
  }
  return true;
}

// Raw system calls: the library's functions would change the user of all threads of the process,
// whose memory we share.
bool become_user(const User& user) {
  if (::syscall(SYS_setgroups, user.groups.size(), user.groups.data()) != 0) return false;
  if (::syscall(SYS_setresgid, user.gid, user.gid, user.gid) != 0) return false;
  if (::syscall(SYS_setresuid, user.uid, user.uid, user.uid) != 0) return false;
  // The kernel may have made our shared memory readable for that user.
  ::prctl(PR_SET_DUMPABLE, 0);
  return ::prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0;
}

// Everything that the child does before its program starts: only operations that are safe in a
// process with threads whose memory it shares.
int become(void* argument) {
  Birth& birth = *static_cast<Birth*>(argument);
  const NewProgram& program = *birth.program;
  ::setpgid(0, 0);
  if (program.user && !become_user(*program.user)) return fail(birth, "become its user");
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);  // A change of the user would reset it.
  if (::getppid() != birth.parent)
    return fail(birth, "exec");  // The parent died before the signal was set.
  struct sigaction usual{};
  usual.sa_handler = SIG_DFL;
  for (int number = 1; number < NSIG; ++number) ::sigaction(number, &usual, nullptr);
  if (!take_descriptors(program.descriptors)) return fail(birth, "dup2");
  if (*program.cwd != '\0' && ::chdir(program.cwd) != 0) return fail(birth, "chdir");
  const unsigned first_to_close = program.descriptors[3] < 0 ? 3 : 4;
  ::syscall(SYS_close_range, first_to_close, ~0U, 1U << 2 /* CLOSE_RANGE_CLOEXEC */);
  ::sigprocmask(SIG_SETMASK, &birth.no_signals, nullptr);
  ::execve(program.path, program.argv, program.envp);
  return fail(birth, "exec");
}

Started clone_into(Birth& birth) {
  alignas(16) char stack[kStack];
  int pidfd = -1;
  // The child must handle no signal: its handlers would work on our memory.
  sigset_t all;
  sigset_t before;
  ::sigfillset(&all);
  ::pthread_sigmask(SIG_SETMASK, &all, &before);
  const pid_t pid =
      ::clone(&become, stack + kStack, kSharing | CLONE_PIDFD | SIGCHLD, &birth, &pidfd);
  const int why = errno;
  ::pthread_sigmask(SIG_SETMASK, &before, nullptr);
  if (pid < 0) return {0, {}, why, "fork"};
  ::setpgid(pid, pid);  // Both sides do it, since either may run first.
  Started started{pid, Fd(pidfd), birth.fault, birth.what};
  if (started.fault != 0) ::waitpid(pid, nullptr, 0);
  return started;
}

}  // namespace

Started start_program(const NewProgram& program) {
#if defined(PATCHBAY_NO_POOLS)
  void* const shared =
      ::mmap(nullptr, sizeof(Birth), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  if (shared == MAP_FAILED) return {0, {}, errno, "mmap"};
  Birth& birth = *new (shared) Birth{&program, ::getpid(), {}};
#else
  Birth own{&program, ::getpid(), {}};
  Birth& birth = own;
#endif
  ::sigemptyset(&birth.no_signals);
  Started started = clone_into(birth);
#if defined(PATCHBAY_NO_POOLS)
  ::munmap(shared, sizeof(Birth));
#endif
  return started;
}

}  // namespace patchbay::net
