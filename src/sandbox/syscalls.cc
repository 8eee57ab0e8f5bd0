#include "sandbox/syscalls.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <linux/sched.h>
#include <seccomp.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/stat.h>

#include <array>
#include <cerrno>
#include <cstring>
#include <memory>

namespace patchbay::sandbox {
namespace {

// What ordinary programs need, whatever their arguments.
// clang-format off
constexpr const char* kAllowed[] = {
    // Files.
    "access", "chdir", "chmod", "chown", "chown32", "close", "close_range", "copy_file_range",
    "creat", "dup", "dup2", "dup3", "faccessat", "faccessat2", "fadvise64", "fadvise64_64",
    "fallocate", "fchdir", "fchmod", "fchmodat", "fchmodat2", "fchown", "fchown32", "fchownat",
    "fcntl", "fcntl64", "fdatasync", "fgetxattr", "flistxattr", "flock", "fremovexattr",
    "fsetxattr", "fstat", "fstat64", "fstatat64", "fstatfs", "fstatfs64", "fsync", "ftruncate",
    "ftruncate64", "futimesat", "getcwd", "getdents", "getdents64", "getxattr", "inotify_add_watch",
    "inotify_init", "inotify_init1", "inotify_rm_watch", "lchown", "lchown32", "lgetxattr", "link",
    "linkat", "listxattr", "llistxattr", "lremovexattr", "lseek", "_llseek", "lsetxattr", "lstat",
    "lstat64", "memfd_create", "mkdir", "mkdirat", "newfstatat", "open", "openat", "openat2",
    "pipe", "pipe2", "pread64", "preadv", "preadv2", "pwrite64", "pwritev", "pwritev2", "read",
    "readahead", "readlink", "readlinkat", "readv", "removexattr", "rename", "renameat",
    "renameat2", "rmdir", "sendfile", "sendfile64", "setxattr", "splice", "stat", "stat64",
    "statfs", "statfs64", "statx", "symlink", "symlinkat", "sync", "sync_file_range", "syncfs",
    "tee", "truncate", "truncate64", "umask", "unlink", "unlinkat", "utime", "utimensat",
    "utimensat_time64", "utimes", "write", "writev",
    // Waiting.
    "epoll_create", "epoll_create1", "epoll_ctl", "epoll_ctl_old", "epoll_pwait", "epoll_pwait2",
    "epoll_wait", "epoll_wait_old", "eventfd", "eventfd2", "poll", "ppoll", "ppoll_time64",
    "pselect6", "pselect6_time64", "select", "_newselect", "signalfd", "signalfd4",
    "timerfd_create", "timerfd_gettime", "timerfd_gettime64", "timerfd_settime",
    "timerfd_settime64",
    // Memory.
    "brk", "madvise", "membarrier", "mincore", "mlock", "mlock2", "mlockall", "mmap", "mmap2",
    "mprotect", "mremap", "msync", "munlock", "munlockall", "munmap", "pkey_alloc", "pkey_free",
    "pkey_mprotect", "remap_file_pages", "get_mempolicy",
    // Processes and threads.
    "arch_prctl", "execve", "execveat", "exit", "exit_group", "fork", "futex", "futex_time64",
    "futex_waitv", "futex_wake", "futex_wait", "futex_requeue", "get_robust_list",
    "get_thread_area", "getcpu", "getpgid", "getpgrp", "getpid", "getppid", "getpriority",
    "getrlimit", "getrusage", "getsid", "gettid", "ioprio_get", "kill", "pidfd_open",
    "pidfd_send_signal", "prctl", "prlimit64", "restart_syscall", "rseq", "sched_get_priority_max",
    "sched_get_priority_min", "sched_getaffinity", "sched_getattr", "sched_getparam",
    "sched_getscheduler", "sched_rr_get_interval", "sched_setaffinity", "sched_setattr",
    "sched_setparam", "sched_setscheduler", "sched_yield", "set_robust_list", "set_thread_area",
    "set_tid_address", "setpgid", "setpriority", "setrlimit", "setsid", "tgkill", "tkill",
    "ugetrlimit", "vfork", "wait4", "waitid", "waitpid",
    // Identity.
    "capget", "capset", "getegid", "getegid32", "geteuid", "geteuid32", "getgid", "getgid32",
    "getgroups", "getgroups32", "getresgid", "getresgid32", "getresuid", "getresuid32", "getuid",
    "getuid32", "setfsgid", "setfsgid32", "setfsuid", "setfsuid32", "setgid", "setgid32",
    "setgroups", "setgroups32", "setregid", "setregid32", "setresgid", "setresgid32", "setresuid",
    "setresuid32", "setreuid", "setreuid32", "setuid", "setuid32",
    // Signals.
    "alarm", "pause", "rt_sigaction", "rt_sigpending", "rt_sigprocmask", "rt_sigqueueinfo",
    "rt_sigreturn", "rt_sigsuspend", "rt_sigtimedwait", "rt_sigtimedwait_time64",
    "rt_tgsigqueueinfo", "sigaltstack", "sigprocmask", "sigreturn",
    // Time.
    "clock_getres", "clock_getres_time64", "clock_gettime", "clock_gettime64", "clock_nanosleep",
    "clock_nanosleep_time64", "getitimer", "gettimeofday", "nanosleep", "setitimer", "time",
    "timer_create", "timer_delete", "timer_getoverrun", "timer_gettime", "timer_gettime64",
    "timer_settime", "timer_settime64", "times",
    // Communication inside.
    "accept", "accept4", "bind", "connect", "getpeername", "getsockname", "getsockopt", "listen",
    "recv", "recvfrom", "recvmmsg", "recvmmsg_time64", "recvmsg", "send", "sendmmsg", "sendmsg",
    "sendto", "setsockopt", "shutdown", "mq_getsetattr", "mq_notify", "mq_open", "mq_timedreceive",
    "mq_timedreceive_time64", "mq_timedsend", "mq_timedsend_time64", "mq_unlink", "msgctl",
    "msgget", "msgrcv", "msgsnd", "semctl", "semget", "semop", "semtimedop", "semtimedop_time64",
    "shmat", "shmctl", "shmdt", "shmget",
    // The machine.
    "getrandom", "sysinfo", "uname",
    // Dropping rights.
    "landlock_add_rule", "landlock_create_ruleset", "landlock_restrict_self",
};
// clang-format on

// Known, and refused with EPERM.
// clang-format off
constexpr const char* kRefused[] = {
    // Mounts and roots.
    "chroot", "fsconfig", "fsmount", "fsopen", "fspick", "mount", "mount_setattr", "move_mount",
    "open_tree", "pivot_root", "umount", "umount2", "statmount", "listmount",
    // Namespaces.
    "setns", "unshare",
    // Other processes.
    "kcmp", "pidfd_getfd", "process_madvise", "process_mrelease", "process_vm_readv",
    "process_vm_writev", "ptrace",
    // The inside of the kernel.
    "acct", "add_key", "bpf", "fanotify_init", "fanotify_mark", "io_uring_enter",
    "io_uring_register", "io_uring_setup", "keyctl", "lookup_dcookie", "memfd_secret",
    "migrate_pages", "modify_ldt", "mbind", "move_pages", "name_to_handle_at", "open_by_handle_at",
    "perf_event_open", "request_key", "seccomp", "set_mempolicy", "set_mempolicy_home_node",
    "syslog", "userfaultfd", "vmsplice",
    // The machine.
    "adjtimex", "clock_adjtime", "clock_adjtime64", "clock_settime", "clock_settime64",
    "create_module", "delete_module", "finit_module", "get_kernel_syms", "init_module", "ioperm",
    "iopl", "ioprio_set", "kexec_file_load", "kexec_load", "nfsservctl", "query_module", "quotactl",
    "quotactl_fd", "reboot", "setdomainname", "sethostname", "settimeofday", "stime", "swapoff",
    "swapon", "_sysctl", "sysfs", "uselib", "ustat", "vhangup", "vm86", "vm86old",
};
// clang-format on

// Kinds of socket: a family, and the allowed types and protocols. No netlink, no raw packets, no
// other machines.
constexpr std::uint64_t kUnix = 1;
constexpr std::uint64_t kInet = 2;
constexpr std::uint64_t kInet6 = 10;
constexpr std::uint64_t kStream = 1;
constexpr std::uint64_t kDatagram = 2;
constexpr std::uint64_t kSequence = 5;
constexpr std::uint64_t kTypeMask = 0xf;  // The rest are flags.
constexpr std::uint64_t kTcp = 6;
constexpr std::uint64_t kUdp = 17;

// Allowed ioctls: private terminals, pipes, sockets, plain files. Nothing that injects input into
// another terminal.
constexpr unsigned long kIoctls[] = {
    TCGETS,      TCSETS,   TCSETSW,   TCSETSF,   TCSBRK,   TCXONC,     TCFLSH,
    TIOCEXCL,    TIOCNXCL, TIOCGPGRP, TIOCSPGRP, TIOCOUTQ, TIOCGWINSZ, TIOCSWINSZ,
    FIONREAD,    FIONBIO,  TIOCNOTTY, TIOCSCTTY, TIOCGSID, TIOCGPTN,   TIOCSPTLCK,
    TIOCGPTPEER, FIONCLEX, FIOCLEX,   FIOASYNC,  TCSBRKP,
};

constexpr std::uint64_t kNewNamespaces = CLONE_NEWNS | CLONE_NEWCGROUP | CLONE_NEWUTS |
                                         CLONE_NEWIPC | CLONE_NEWUSER | CLONE_NEWPID |
                                         CLONE_NEWNET | CLONE_NEWTIME;

using Filter = std::unique_ptr<void, decltype(&::seccomp_release)>;

scmp_arg_cmp masked(unsigned argument, std::uint64_t mask, std::uint64_t value) {
  return {argument, SCMP_CMP_MASKED_EQ, mask, value};
}
scmp_arg_cmp equals(unsigned argument, std::uint64_t value) {
  // The lower half only, as the kernel does: it takes an int.
  return masked(argument, 0xffffffff, value);
}

// Calls that this library or this architecture does not know do not exist.
class Rules {
 public:
  explicit Rules(scmp_filter_ctx filter) : filter_(filter) {}

  template <class... Conditions>
  void add(std::uint32_t action, const char* name, Conditions... conditions) {
    const int call = ::seccomp_syscall_resolve_name(name);
    if (call == __NR_SCMP_ERROR || failed_ != 0) return;
    const std::array<scmp_arg_cmp, sizeof...(conditions)> all{conditions...};
    const int added =
        ::seccomp_rule_add_array(filter_, action, call, sizeof...(conditions), all.data());
    if (added < 0 && added != -EDOM && added != -EINVAL) failed_ = added;
  }

  template <class... Conditions>
  void allow(const char* name, Conditions... conditions) {
    add(SCMP_ACT_ALLOW, name, conditions...);
  }

  int failed() const { return failed_; }

 private:
  scmp_filter_ctx filter_;
  int failed_ = 0;
};

void add_by_argument(Rules& rules) {
  // New threads and processes, but no new namespaces. clone3 hides its flags from a filter.
  rules.allow("clone", masked(0, kNewNamespaces, 0));
  rules.allow("socketpair", equals(0, kUnix));
  for (const auto type : {kStream, kDatagram, kSequence}) {
    rules.allow("socket", equals(0, kUnix), masked(1, kTypeMask, type));
  }
  for (const auto family : {kInet, kInet6}) {
    for (const auto protocol : {std::uint64_t{0}, kTcp}) {
      rules.allow("socket", equals(0, family), masked(1, kTypeMask, kStream), equals(2, protocol));
    }
    for (const auto protocol : {std::uint64_t{0}, kUdp}) {
      rules.allow("socket", equals(0, family), masked(1, kTypeMask, kDatagram),
                  equals(2, protocol));
    }
  }
  for (const auto request : kIoctls) rules.allow("ioctl", equals(1, request));
  // Plain files and pipes, but no devices.
  for (const mode_t kind : {0U, mode_t{S_IFREG}, mode_t{S_IFIFO}, mode_t{S_IFSOCK}}) {
    rules.allow("mknod", masked(1, S_IFMT, kind));
    rules.allow("mknodat", masked(2, S_IFMT, kind));
  }
  // Linux, with or without address randomisation, or a query.
  for (const std::uint64_t kind : {0x0ul, 0x8ul, 0x20000ul, 0x20008ul, 0x40000ul, 0xfffffffful}) {
    rules.allow("personality", equals(0, kind));
  }
}

Result<net::Fd> make_filter() {
  const auto failure = [](int why) {
    return Error{Code::unavailable,
                 fmt::format("cannot make the system call filter: {}", std::strerror(why))};
  };
  const Filter filter(::seccomp_init(SCMP_ACT_ERRNO(ENOSYS)), &::seccomp_release);
  if (!filter) return failure(ENOMEM);
  ::seccomp_attr_set(filter.get(), SCMP_FLTATR_ACT_BADARCH, SCMP_ACT_KILL_PROCESS);
  ::seccomp_attr_set(filter.get(), SCMP_FLTATR_CTL_OPTIMIZE, 2);
  Rules rules(filter.get());
  for (const char* const name : kAllowed) rules.allow(name);
  for (const char* const name : kRefused) rules.add(SCMP_ACT_ERRNO(EPERM), name);
  add_by_argument(rules);
  if (rules.failed() != 0) return failure(-rules.failed());
  net::Fd program(::memfd_create("syscalls", MFD_CLOEXEC));
  if (!program) return failure(errno);
  const int exported = ::seccomp_export_bpf(filter.get(), program.get());
  if (exported < 0) return failure(-exported);
  return program;
}

}  // namespace

const Result<net::Fd>& syscall_filter() {
  static const Result<net::Fd> made = make_filter();
  return made;
}

}  // namespace patchbay::sandbox
