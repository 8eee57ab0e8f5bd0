/* Attempts on the kernel's interfaces: what a filter of system calls and the lack of privileges
   must refuse. */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <linux/capability.h>
#include <linux/fs.h>
#include <linux/sched.h>
#include <linux/tiocl.h>
#include <sched.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/mount.h>
#include <sys/personality.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/timex.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "attempts.h"

#define CALL(name, ...) \
  static int name(void) { return refused(syscall(__VA_ARGS__)); }

/* Mounts. */
CALL(mount_tmpfs, SYS_mount, "none", "/tmp", "tmpfs", 0, 0)
CALL(mount_bind, SYS_mount, "/usr", "/tmp", 0, MS_BIND, 0)
CALL(mount_proc, SYS_mount, "proc", "/tmp", "proc", 0, 0)
CALL(mount_overlay, SYS_mount, "o", "/tmp", "overlay", 0, "lowerdir=/usr:/etc")
CALL(mount_cgroup, SYS_mount, "none", "/tmp", "cgroup", 0, "memory")
CALL(remount_root, SYS_mount, 0, "/", 0, MS_REMOUNT | MS_BIND, 0)
CALL(unmount_proc, SYS_umount2, "/proc", MNT_DETACH)
CALL(unmount_workspace, SYS_umount2, "/workspace", MNT_DETACH)
static int pivot(void) {
  /* The new root must be a mount. */
  if (chdir("/workspace") != 0) return errno;
  return refused(syscall(SYS_pivot_root, ".", "."));
}
CALL(change_root, SYS_chroot, "/tmp")
CALL(fs_open, SYS_fsopen, "tmpfs", 0)
CALL(fs_pick, SYS_fspick, AT_FDCWD, "/", 0)
CALL(tree_open, SYS_open_tree, AT_FDCWD, "/usr", 1)
CALL(mount_move, SYS_move_mount, AT_FDCWD, "/workspace", AT_FDCWD, "/tmp", 0)
static int mount_attributes(void) {
  uint64_t attributes[4] = {0, 1, 0, 0};
  return refused(syscall(SYS_mount_setattr, AT_FDCWD, "/", 0, attributes, sizeof attributes));
}

/* Namespaces. */
CALL(unshare_user, SYS_unshare, CLONE_NEWUSER)
CALL(unshare_mount, SYS_unshare, CLONE_NEWNS)
CALL(unshare_pid, SYS_unshare, CLONE_NEWPID)
CALL(unshare_net, SYS_unshare, CLONE_NEWNET)
CALL(unshare_time, SYS_unshare, CLONE_NEWTIME)
CALL(clone_user, SYS_clone, CLONE_NEWUSER | 17, 0, 0, 0, 0)
CALL(clone_mount, SYS_clone, CLONE_NEWNS | 17, 0, 0, 0, 0)
CALL(clone_user_high_bits, SYS_clone, (1UL << 32) | CLONE_NEWUSER | 17, 0, 0, 0, 0)
static int clone_three(void) {
  struct clone_args arguments;
  memset(&arguments, 0, sizeof arguments);
  arguments.flags = CLONE_NEWUSER;
  arguments.exit_signal = 17;
  return refused(syscall(SYS_clone3, &arguments, sizeof arguments));
}
static int enter(const char* path) {
  const int fd = open(path, O_RDONLY);
  if (fd < 0) return errno;
  return refused(syscall(SYS_setns, fd, 0));
}
static int enter_mount(void) { return enter("/proc/1/ns/mnt"); }
static int enter_pid(void) { return enter("/proc/1/ns/pid"); }
static int enter_own_pid(void) { return enter("/proc/self/ns/pid"); }
static int enter_user(void) {
  /* One that a child has made, if it can; nobody enters the one he is in. */
  int said[2];
  char word = 0;
  if (pipe(said) != 0) return errno;
  const pid_t child = fork();
  if (child == 0) {
    syscall(SYS_unshare, CLONE_NEWUSER);
      if (write(said[1], "x", 1) != 1) _exit(1);
    pause();
  }
  if (read(said[0], &word, 1) != 1) return errno;
  char path[64];
  snprintf(path, sizeof path, "/proc/%d/ns/user", child);
  const int outcome = enter(path);
  kill(child, SIGKILL);
  return outcome;
}
static int enter_by_process(void) {
  const int fd = (int)syscall(SYS_pidfd_open, 1, 0);
  if (fd < 0) return errno;
  return refused(syscall(SYS_setns, fd, CLONE_NEWNS));
}
static int owner_of_namespace(void) {
  const int fd = open("/proc/self/ns/pid", O_RDONLY);
  if (fd < 0) return errno;
  return refused(ioctl(fd, _IO(0xb7, 1)));
}

/* Other processes. */
CALL(trace_init, SYS_ptrace, PTRACE_ATTACH, 1, 0, 0)
CALL(seize_init, SYS_ptrace, PTRACE_SEIZE, 1, 0, 0)
CALL(trace_me, SYS_ptrace, PTRACE_TRACEME, 0, 0, 0)
static int memory_of_init(int write) {
  char byte = 0;
  unsigned long address = 0x400000;
  FILE* const maps = fopen("/proc/1/maps", "r");
  /* Somewhere that can be written: of the heap, if it can be seen where that is. */
  for (char line[256]; maps && fgets(line, sizeof line, maps);) {
    if (strstr(line, "rw-p")) address = strtoul(line, 0, 16);
  }
  struct iovec own = {&byte, 1};
  struct iovec other = {(void*)address, 1};
  return refused(syscall(write ? SYS_process_vm_writev : SYS_process_vm_readv, 1, &own, 1L, &other,
                         1L, 0L));
}
static int read_init(void) { return memory_of_init(0); }
static int write_init(void) { return memory_of_init(1); }
static int take_descriptor(void) {
  const int fd = (int)syscall(SYS_pidfd_open, 1, 0);
  if (fd < 0) return errno;
  return refused(syscall(SYS_pidfd_getfd, fd, 0, 0));
}
CALL(compare, SYS_kcmp, 1, getpid(), 0, 0, 0)

/* The inside of the kernel. */
static int io_uring(void) {
  char parameters[120] = {0};
  return refused(syscall(SYS_io_uring_setup, 1, parameters));
}
static int aio(void) {
  unsigned long context = 0;
  return refused(syscall(SYS_io_setup, 1, &context));
}
static int bpf_map(void) {
  uint32_t attributes[18] = {2, 4, 4, 1};
  return refused(syscall(SYS_bpf, 0, attributes, sizeof attributes));
}
static int perf(void) {
  char attributes[128] = {0};
  attributes[0] = 1;
  return refused(syscall(SYS_perf_event_open, attributes, 0, -1, -1, 0));
}
CALL(key_control, SYS_keyctl, 0, -3, 1, 0, 0)
CALL(key_add, SYS_add_key, "user", "probe", "x", 1, -3)
static int key_request(void) {
  syscall(SYS_add_key, "user", "probe", "x", 1, -3);
  return refused(syscall(SYS_request_key, "user", "probe", 0, -3));
}
CALL(user_faults, SYS_userfaultfd, O_CLOEXEC)
CALL(kexec, SYS_kexec_load, 0, 0, 0, 0)
CALL(kexec_file, SYS_kexec_file_load, -1, -1, 0, "", 0)
CALL(module_init, SYS_init_module, "", 0, "")
CALL(module_file, SYS_finit_module, 0, "", 0)
CALL(module_delete, SYS_delete_module, "x", 0)
CALL(secret_memory, SYS_memfd_secret, 0)
CALL(fanotify, SYS_fanotify_init, 0, 0)
CALL(move_pages_call, SYS_move_pages, 0, 0L, 0L, 0L, 0L, 0L)
static int handle(int open_it) {
  unsigned words[34] = {128};
  int mount = 0;
  const long named = syscall(SYS_name_to_handle_at, AT_FDCWD, "/workspace", words, &mount, 0);
  if (!open_it) return refused(named);
  if (named < 0) words[0] = 8; /* Then one that is made up. */
  const int beneath = open("/workspace", O_RDONLY | O_DIRECTORY);
  return refused(syscall(SYS_open_by_handle_at, beneath, words, O_RDONLY));
}
static int handle_open(void) { return handle(1); }
static int handle_name(void) { return handle(0); }
static int splice_memory(void) {
  int ends[2];
  if (pipe(ends) != 0) return errno;
  struct iovec own = {"x", 1};
  return refused(syscall(SYS_vmsplice, ends[1], &own, 1, 0));
}
static int unchangeable(void) {
  const int fd = open("/workspace/fixed", O_RDWR | O_CREAT, 0600);
  if (fd < 0) return errno;
  return refused(ioctl(fd, FS_IOC_SETFLAGS, (int[]){FS_NODUMP_FL}));
}
static int filter_again(void) {
  uint32_t action = 0x7fc00000; /* Hand calls to another process. */
  return refused(syscall(SYS_seccomp, 2, 0, &action));
}
#ifdef __x86_64__
CALL(ldt, SYS_modify_ldt, 0, malloc(64), 64)
CALL(io_level, SYS_iopl, 3)
CALL(io_ports, SYS_ioperm, 0, 1, 1)
CALL(x32, 0x40000000 + 39)
static int i386(void) {
  long result = 20; /* getpid by the numbers of another architecture. */
  __asm__ volatile("int $0x80" : "+a"(result) : : "memory", "r8", "r9", "r10", "r11");
  return result > 0 ? 0 : (int)-result;
}
#endif
static int odd_personality(void) { return refused(personality(READ_IMPLIES_EXEC)); }

/* The machine. */
CALL(restart, SYS_reboot, 0xfee1dead, 672274793, 0x89abcdef, 0)
CALL(swap_on, SYS_swapon, "/tmp/swap", 0)
CALL(swap_off, SYS_swapoff, "/tmp/swap")
CALL(host_name, SYS_sethostname, "probe", 5)
CALL(domain_name, SYS_setdomainname, "probe", 5)
CALL(kernel_log, SYS_syslog, 3, malloc(1024), 1024)
CALL(quota, SYS_quotactl, 0x80000100, 0, 0, 0) /* Q_SYNC, of everything. */
static int accounting(void) {
  close(open("/workspace/acct", O_RDWR | O_CREAT, 0600));
  const int outcome = refused(syscall(SYS_acct, "/workspace/acct"));
  if (outcome == 0) syscall(SYS_acct, 0);
  return outcome;
}
static int set_time(void) {
  struct timeval now;
  gettimeofday(&now, 0);
  return refused(syscall(SYS_settimeofday, &now, 0));
}
static int set_clock(void) {
  struct timespec now;
  clock_gettime(CLOCK_REALTIME, &now);
  return refused(syscall(SYS_clock_settime, CLOCK_REALTIME, &now));
}
static int adjust_clock(void) {
  struct timex change;
  memset(&change, 0, sizeof change);
  change.modes = ADJ_TICK;
  change.tick = 10000;
  return refused(syscall(SYS_adjtimex, &change));
}
CALL(io_priority, SYS_ioprio_set, 1, 0, (1 << 13) | 0)

/* Sockets that are not for programs. */
#define SOCKET(name, ...) \
  static int name(void) { return refused(socket(__VA_ARGS__)); }
SOCKET(netlink, AF_NETLINK, SOCK_RAW, 0)
SOCKET(packet, AF_PACKET, SOCK_RAW, 0)
SOCKET(raw, AF_INET, SOCK_RAW, 1)
SOCKET(raw_six, AF_INET6, SOCK_RAW, 58)
SOCKET(ping_socket, AF_INET, SOCK_DGRAM, 1)
SOCKET(vsock, AF_VSOCK, SOCK_STREAM, 0)
SOCKET(crypto, AF_ALG, SOCK_SEQPACKET, 0)
SOCKET(bluetooth, 31, SOCK_RAW, 1)
SOCKET(tipc, 30, SOCK_SEQPACKET, 0)
SOCKET(can, 29, SOCK_RAW, 1)
SOCKET(rds, 21, SOCK_SEQPACKET, 0)
SOCKET(multipath, AF_INET, SOCK_STREAM, 262)
SOCKET(sctp, AF_INET, SOCK_SEQPACKET, 132)
static int netlink_high_bits(void) {
  return refused(syscall(SYS_socket, (1UL << 32) | AF_NETLINK, SOCK_RAW, 0));
}
static int tipc_pair(void) {
  int ends[2];
  return refused(socketpair(30, SOCK_SEQPACKET, 0, ends));
}

/* Terminals. */
static int on_terminal(unsigned long request, void* argument) {
  const int terminal = posix_openpt(O_RDWR | O_NOCTTY);
  if (terminal < 0) return ABSENT;
  if (grantpt(terminal) != 0 || unlockpt(terminal) != 0) return errno;
  setsid();
  const int slave = open(ptsname(terminal), O_RDWR);
  if (slave < 0) return errno;
  return refused(syscall(SYS_ioctl, slave, request, argument));
}
static int type_in(void) { return on_terminal(TIOCSTI, (char[]){'x'}); }
static int type_in_high_bits(void) { return on_terminal((1UL << 32) | TIOCSTI, (char[]){'x'}); }
static int paste(void) { return on_terminal(TIOCLINUX, (char[]){TIOCL_PASTESEL}); }
static int line_discipline(void) { return on_terminal(TIOCSETD, (int[]){0}); }
static int console_output(void) { return on_terminal(TIOCCONS, 0); }
static int own_terminal(void) { return opens("/dev/tty", O_RDWR); }

/* Who one is. */
static int set_user(void) { return refused(setresuid(0, 0, 0)); }
static int set_group(void) { return refused(setresgid(0, 0, 0)); }
static int set_groups(void) {
  gid_t group = 0;
  return refused(syscall(SYS_setgroups, 1, &group));
}
static int capabilities(void) {
  struct __user_cap_header_struct header = {_LINUX_CAPABILITY_VERSION_3, 0};
  const unsigned admin = 1U << CAP_SYS_ADMIN;
  struct __user_cap_data_struct data[2] = {{admin, admin, admin}, {0, 0, 0}};
  return refused(syscall(SYS_capset, &header, data));
}
static int ambient(void) {
  capabilities();
  return refused(prctl(PR_CAP_AMBIENT, PR_CAP_AMBIENT_RAISE, CAP_SYS_ADMIN, 0, 0));
}
static int secure_bits(void) { return refused(prctl(PR_SET_SECUREBITS, 1, 0, 0, 0)); }
static int new_privileges(void) {
  return prctl(PR_GET_NO_NEW_PRIVS, 0, 0, 0, 0) == 1 ? ABSENT : 0;
}
static int memory_map(void) {
  return refused(prctl(PR_SET_MM, PR_SET_MM_START_BRK, sbrk(0), 0, 0));
}

#define ROW(function) {#function, function}
const struct attempt kernel_attempts[] = {
    ROW(mount_tmpfs), ROW(mount_bind), ROW(mount_proc), ROW(mount_overlay), ROW(mount_cgroup),
    ROW(remount_root), ROW(unmount_proc), ROW(pivot), ROW(change_root), ROW(fs_open), ROW(fs_pick),
    ROW(tree_open), ROW(mount_move), ROW(mount_attributes), ROW(unshare_user), ROW(unshare_mount),
    ROW(unshare_pid), ROW(unshare_net), ROW(unshare_time), ROW(clone_user), ROW(clone_mount),
    ROW(clone_user_high_bits), ROW(clone_three), ROW(enter_mount), ROW(enter_user),
    ROW(enter_pid), ROW(enter_own_pid), ROW(enter_by_process), ROW(owner_of_namespace),
    ROW(unmount_workspace), ROW(unchangeable), ROW(console_output), ROW(trace_init), ROW(seize_init), ROW(trace_me),
    ROW(read_init), ROW(write_init), ROW(take_descriptor), ROW(compare), ROW(io_uring),
    ROW(aio), ROW(bpf_map), ROW(perf), ROW(key_control), ROW(key_add),
    ROW(key_request), ROW(user_faults), ROW(kexec), ROW(kexec_file), ROW(module_init),
    ROW(module_file), ROW(module_delete), ROW(secret_memory), ROW(fanotify), ROW(move_pages_call),
    ROW(handle_open), ROW(handle_name), ROW(splice_memory), ROW(filter_again),
#ifdef __x86_64__
    ROW(ldt), ROW(io_level), ROW(io_ports), ROW(x32), ROW(i386),
#endif
    ROW(odd_personality), ROW(restart), ROW(swap_on), ROW(swap_off), ROW(host_name),
    ROW(domain_name), ROW(kernel_log), ROW(quota), ROW(accounting), ROW(set_time), ROW(set_clock),
    ROW(adjust_clock), ROW(io_priority), ROW(netlink), ROW(packet), ROW(raw), ROW(raw_six),
    ROW(ping_socket), ROW(vsock), ROW(crypto), ROW(bluetooth), ROW(tipc), ROW(can), ROW(rds),
    ROW(multipath), ROW(sctp), ROW(netlink_high_bits), ROW(tipc_pair), ROW(type_in),
    ROW(type_in_high_bits), ROW(paste), ROW(line_discipline), ROW(own_terminal), ROW(set_user),
    ROW(set_group), ROW(set_groups), ROW(capabilities), ROW(ambient), ROW(secure_bits),
    ROW(new_privileges), ROW(memory_map), {0, 0}};
