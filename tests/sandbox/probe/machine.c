/* Attempts on what is outside: files, devices, the network, other processes, and more of the
   machine than was given. */
#define _GNU_SOURCE
#include <arpa/inet.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <sched.h>
#include <signal.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <sys/syscall.h>
#include <sys/sysinfo.h>
#include <sys/sysmacros.h>
#include <sys/un.h>
#include <time.h>
#include <unistd.h>

#include "attempts.h"

extern char** environ;

#define OPENS(name, path, flags) \
  static int name(void) { return opens(path, flags); }

/* Files that belong to the machine. */
OPENS(write_root, "/probe", O_WRONLY | O_CREAT)
OPENS(write_usr, "/usr/probe", O_WRONLY | O_CREAT)
OPENS(write_bin, "/usr/bin/env", O_WRONLY)
OPENS(write_etc, "/etc/probe", O_WRONLY | O_CREAT)
OPENS(write_passwd, "/etc/passwd", O_WRONLY)
OPENS(write_dev, "/dev/probe", O_WRONLY | O_CREAT)
OPENS(write_run, "/run/probe", O_WRONLY | O_CREAT)
OPENS(read_shadow, "/etc/shadow", O_RDONLY)
OPENS(read_shadow_by_init, "/proc/1/root/etc/shadow", O_RDONLY)
OPENS(read_shadow_by_cwd, "/proc/self/cwd/../../../../etc/shadow", O_RDONLY)
OPENS(read_machine_id, "/etc/machine-id", O_RDONLY)
OPENS(read_ssh, "/etc/ssh", O_RDONLY)
OPENS(read_root_home, "/root", O_RDONLY)
OPENS(read_homes, "/home", O_RDONLY)
OPENS(read_logs, "/var/log", O_RDONLY)
OPENS(read_sys, "/sys/kernel", O_RDONLY)
OPENS(read_cgroups, "/sys/fs/cgroup", O_RDONLY)
OPENS(docker_socket, "/var/run/docker.sock", O_RDONLY)
OPENS(dbus_socket, "/run/dbus/system_bus_socket", O_PATH)
OPENS(old_root, "/oldroot", O_RDONLY)
OPENS(stage, "/sys/files", O_RDONLY)
static int change_mode(void) { return refused(chmod("/usr/bin/env", 04777)); }
static int change_owner(void) { return refused(chown("/workspace", 0, 0)); }
static int hard_link_passwd(void) { return refused(link("/etc/passwd", "/etc/passwd-too")); }
static int hard_link_usr(void) { return refused(link("/usr/bin/env", "/tmp/env")); }
static int rename_usr(void) { return refused(rename("/usr/bin/yes", "/usr/bin/yes-too")); }
static int remove_usr(void) { return refused(unlink("/usr/bin/env")); }
static int symlink_shadow(void) {
  unlink("/workspace/shadow");
  if (symlink("/etc/shadow", "/workspace/shadow") != 0) return errno;
  return opens("/workspace/shadow", O_RDONLY);
}

/* What the kernel shows. */
static int readable(const char* path) {
  const int fd = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC);
  if (fd < 0) return errno;
  char byte;
  const ssize_t got = read(fd, &byte, 1);
  return got > 0 ? 0 : got == 0 ? ABSENT : errno;
}
static int environment_of_init(void) { return readable("/proc/1/environ"); }
static int memory_of_kernel(void) { return readable("/proc/kcore"); }
static int boot_id(void) { return readable("/proc/sys/kernel/random/boot_id"); }
static int keys(void) { return readable("/proc/keys"); }
static int kernel_messages(void) { return readable("/proc/kmsg"); }
static int symbols(void) { return readable("/proc/kallsyms"); }
static int boot_parameters(void) { return readable("/proc/cmdline"); }
static int disks_of_machine(void) { return readable("/proc/partitions"); }
static int buses(void) {
  DIR* const all = opendir("/proc/bus");
  int seen = 0;
  while (all && readdir(all)) ++seen;
  return seen > 2 ? 0 : ABSENT;
}
static int pressure(void) { return readable("/proc/pressure/cpu"); }

/* How long the machine has been up: longer than any sandbox that a test makes. */
static int long_ago(double seconds) {
  /* Where the kernel has one set of clocks for everybody there is nothing to find out. */
  if (access("/proc/self/ns/time", F_OK) != 0) return ABSENT;
  return seconds > 90 ? 0 : ABSENT;
}
static int up_by_clock(clockid_t clock) {
  struct timespec now;
  if (clock_gettime(clock, &now) != 0) return errno;
  return long_ago((double)now.tv_sec);
}
static int up_by_boot_clock(void) { return up_by_clock(CLOCK_BOOTTIME); }
static int up_by_monotonic_clock(void) { return up_by_clock(CLOCK_MONOTONIC); }
static int up_by_raw_clock(void) { return up_by_clock(CLOCK_MONOTONIC_RAW); }
static int up_by_sysinfo(void) {
  struct sysinfo info;
  if (sysinfo(&info) != 0) return errno;
  return long_ago((double)info.uptime);
}
/* The number after `word` at the beginning of a line; of all numbers there the sum. */
static double counted(const char* path, const char* word) {
  FILE* const file = fopen(path, "r");
  char line[4096];
  double sum = 0;
  while (file && fgets(line, sizeof line, file)) {
    if (strncmp(line, word, strlen(word)) != 0) continue;
    char* at = line + strlen(word);
    for (char* end; strtod(at, &end), end != at; at = end) sum += strtod(at, NULL);
  }
  return sum;
}
static int up_by_proc(void) {
  FILE* const file = fopen("/proc/uptime", "r");
  double seconds = 0;
  if (!file || fscanf(file, "%lf", &seconds) != 1) return ABSENT;
  return long_ago(seconds);
}
static int up_by_time_of_boot(void) {
  return long_ago((double)time(NULL) - counted("/proc/stat", "btime "));
}
static int up_by_counters(void) {
  return long_ago(counted("/proc/stat", "cpu ") / (double)sysconf(_SC_CLK_TCK));
}
static int up_by_interrupts(void) { return long_ago(counted("/proc/stat", "intr ")); }
OPENS(memory_of_init, "/proc/1/mem", O_RDWR)
OPENS(folder_of_init, "/proc/1/cwd", O_PATH)
OPENS(root_of_init, "/proc/1/root", O_PATH)
OPENS(program_of_init, "/proc/1/exe", O_RDONLY)
OPENS(descriptors_of_init, "/proc/1/fd", O_RDONLY)
OPENS(name_of_machine, "/proc/sys/kernel/hostname", O_WRONLY)
OPENS(caches, "/proc/sys/vm/drop_caches", O_WRONLY)
OPENS(core_pattern, "/proc/sys/kernel/core_pattern", O_WRONLY)
OPENS(sysrq, "/proc/sysrq-trigger", O_WRONLY)
OPENS(user_namespaces, "/proc/sys/user/max_user_namespaces", O_WRONLY)
static int write_to(const char* path, const char* text) {
  const int fd = open(path, O_WRONLY | O_CLOEXEC);
  if (fd < 0) return errno;
  return refused(write(fd, text, strlen(text)));
}
static int map_user(void) {
  syscall(SYS_unshare, CLONE_NEWUSER); /* Refused or not: the map is another matter. */
  return write_to("/proc/self/uid_map", "0 0 1");
}
static int spare_from_oom(void) { return write_to("/proc/self/oom_score_adj", "-1000"); }
static int host_process(void) {
  /* Nothing but the sandbox's own few is seen. */
  DIR* const all = opendir("/proc");
  int seen = 0;
  for (struct dirent* entry; all && (entry = readdir(all));) {
    seen += entry->d_name[0] >= '1' && entry->d_name[0] <= '9';
  }
  return seen <= 8 ? ABSENT : 0;
}
static int kill_init(void) {
  kill(1, SIGKILL);
  kill(1, SIGSTOP);
  return kill(1, 0) == 0 ? ABSENT : 0;
}
static int signal_outside(void) {
  return refused(kill(outside_process > 0 ? outside_process : getpid() + 10000, 0));
}
static int without(const char* path, unsigned long flag) {
  struct statvfs about;
  if (statvfs(path, &about) != 0) return errno;
  return about.f_flag & flag ? ABSENT : 0;
}
static int set_user_programs(void) { return without("/usr", ST_NOSUID); }
static int set_user_files(void) { return without("/workspace", ST_NOSUID); }
static int device_files(void) { return without("/workspace", ST_NODEV); }

/* Devices. */
static int node(mode_t kind, int major_number, int minor_number) {
  unlink("/workspace/node");
  return refused(mknod("/workspace/node", kind | 0600, makedev(major_number, minor_number)));
}
static int make_memory(void) { return node(S_IFCHR, 1, 1); }
static int make_null(void) { return node(S_IFCHR, 1, 3); }
static int make_disk(void) { return node(S_IFBLK, 8, 0); }
OPENS(memory_device, "/dev/mem", O_RDONLY)
OPENS(kvm, "/dev/kvm", O_RDWR)
OPENS(fuse, "/dev/fuse", O_RDWR)
OPENS(tun, "/dev/net/tun", O_RDWR)
OPENS(disk, "/dev/vda", O_RDONLY)
OPENS(disk_two, "/dev/sda", O_RDONLY)
OPENS(console, "/dev/console", O_RDWR)
OPENS(input, "/dev/uinput", O_RDWR)
OPENS(loop_device, "/dev/loop-control", O_RDWR)

/* The network. */
static int reach(const char* address, int port, int type) {
  struct sockaddr_in to = {AF_INET, htons((uint16_t)port), {inet_addr(address)}, {0}};
  const int fd = socket(AF_INET, type, 0);
  if (fd < 0) return errno;
  setsockopt(fd, SOL_SOCKET, SO_BROADCAST, &(int){1}, sizeof(int));
  if (connect(fd, (struct sockaddr*)&to, sizeof to) != 0) return errno;
  return refused(send(fd, "x", 1, MSG_NOSIGNAL));
}
static int host_listener(void) { return reach("127.0.0.1", outside_port, SOCK_STREAM); }
static int internet(void) { return reach("192.0.2.1", 80, SOCK_STREAM); }
static int metadata(void) { return reach("169.254.169.254", 80, SOCK_STREAM); }
static int name_server(void) { return reach("192.0.2.53", 53, SOCK_DGRAM); }
static int broadcast(void) { return reach("255.255.255.255", 67, SOCK_DGRAM); }
static int internet_six(void) {
  struct sockaddr_in6 to;
  memset(&to, 0, sizeof to);
  to.sin6_family = AF_INET6;
  to.sin6_port = htons(80);
  inet_pton(AF_INET6, "2001:db8::1", &to.sin6_addr);
  const int fd = socket(AF_INET6, SOCK_STREAM, 0);
  if (fd < 0) return errno;
  return refused(connect(fd, (struct sockaddr*)&to, sizeof to));
}
static int abstract_socket(void) {
  struct sockaddr_un to;
  memset(&to, 0, sizeof to);
  to.sun_family = AF_UNIX;
  strncpy(to.sun_path + 1, outside_socket, sizeof to.sun_path - 2);
  const int fd = socket(AF_UNIX, SOCK_STREAM, 0);
  if (fd < 0) return errno;
  const socklen_t size = (socklen_t)(offsetof(struct sockaddr_un, sun_path) + 1 +
                                     strlen(outside_socket));
  return refused(connect(fd, (struct sockaddr*)&to, size));
}

/* More than was given. */
static int raise_limit(__rlimit_resource_t resource) {
  struct rlimit limit;
  if (getrlimit(resource, &limit) != 0) return errno;
  if (limit.rlim_max == RLIM_INFINITY) return 0;
  limit.rlim_max += 1;
  return refused(setrlimit(resource, &limit));
}
static int more_descriptors(void) { return raise_limit(RLIMIT_NOFILE); }
static int more_processes(void) { return raise_limit(RLIMIT_NPROC); }
static int more_addresses(void) { return raise_limit(RLIMIT_AS); }
static int larger_files(void) { return raise_limit(RLIMIT_FSIZE); }
static int core_files(void) { return raise_limit(RLIMIT_CORE); }
static int nicer(void) { return refused(setpriority(PRIO_PROCESS, 0, -20)); }
static int real_time(void) {
  struct sched_param best = {99};
  return refused(sched_setscheduler(0, SCHED_FIFO, &best));
}
static int a_terabyte(void) {
  void* const all = mmap(0, 1UL << 40, PROT_READ | PROT_WRITE,
                         MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  return all == MAP_FAILED ? errno : 0;
}
static int lock_memory(void) {
  char* const some = mmap(0, 1 << 20, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  return refused(mlock(some, 1 << 20));
}
static int sparse_terabyte(void) {
  signal(SIGXFSZ, SIG_IGN);
  const int fd = open("/workspace/sparse", O_RDWR | O_CREAT, 0600);
  return refused(ftruncate(fd, 1L << 40));
}
static int left_open(void) {
  for (int fd = 3; fd < 256; ++fd) {
    if (fcntl(fd, F_GETFD) >= 0) return 0;
  }
  return ABSENT;
}
static int environment(void) {
  for (char** variable = environ; *variable; ++variable) {
    if (strstr(*variable, "CANARY")) return 0;
  }
  return ABSENT;
}

#define ROW(function) {#function, function}
const struct attempt machine_attempts[] = {
    ROW(write_root), ROW(write_usr), ROW(write_bin), ROW(write_etc), ROW(write_passwd),
    ROW(write_dev), ROW(write_run), ROW(read_shadow), ROW(read_shadow_by_init),
    ROW(read_shadow_by_cwd), ROW(read_machine_id), ROW(read_ssh), ROW(read_root_home),
    ROW(read_homes), ROW(read_logs), ROW(read_sys), ROW(read_cgroups), ROW(docker_socket),
    ROW(dbus_socket), ROW(old_root), ROW(stage), ROW(change_mode), ROW(change_owner),
    ROW(hard_link_passwd), ROW(hard_link_usr), ROW(rename_usr), ROW(remove_usr),
    ROW(symlink_shadow), ROW(environment_of_init), ROW(memory_of_kernel), ROW(boot_id), ROW(keys),
    ROW(kernel_messages), ROW(symbols), ROW(boot_parameters), ROW(disks_of_machine), ROW(buses),
    ROW(pressure), ROW(up_by_boot_clock), ROW(up_by_monotonic_clock), ROW(up_by_raw_clock),
    ROW(up_by_sysinfo), ROW(up_by_proc), ROW(up_by_time_of_boot), ROW(up_by_counters),
    ROW(up_by_interrupts), ROW(memory_of_init), ROW(core_pattern), ROW(sysrq),
    ROW(user_namespaces), ROW(map_user), ROW(spare_from_oom), ROW(host_process), ROW(kill_init),
    ROW(signal_outside), ROW(set_user_programs), ROW(set_user_files), ROW(device_files),
    ROW(folder_of_init), ROW(root_of_init), ROW(program_of_init), ROW(descriptors_of_init),
    ROW(name_of_machine), ROW(caches), ROW(make_memory), ROW(make_null), ROW(make_disk), ROW(memory_device),
    ROW(kvm), ROW(fuse), ROW(tun), ROW(disk), ROW(disk_two), ROW(console), ROW(input),
    ROW(loop_device), ROW(host_listener), ROW(internet), ROW(metadata), ROW(name_server),
    ROW(broadcast), ROW(internet_six), ROW(abstract_socket), ROW(more_descriptors),
    ROW(more_processes), ROW(more_addresses), ROW(larger_files), ROW(core_files), ROW(nicer),
    ROW(real_time), ROW(a_terabyte), ROW(lock_memory), ROW(sparse_terabyte), ROW(left_open),
    ROW(environment), {0, 0}};
