#include "sandbox/stage.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <grp.h>
#include <sched.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <csignal>
#include <ctime>

#include "net/io/local_listener.h"
#include "net/io/system_failure.h"
#include "sandbox/small_files.h"

namespace patchbay::sandbox {
namespace {

// Above the users of systems, containers and directories: see "users" in docs/sandbox.md.
constexpr uid_t kFirstUser = 1'880'000'000;

Result<void> write_file(const std::string& path, std::string_view text) {
  const net::Fd file(::open(path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0644));
  if (!file || ::write(file.get(), text.data(), text.size()) != static_cast<ssize_t>(text.size())) {
    return net::system_failure("cannot write " + path);
  }
  return ok();
}

Result<void> make_folder(const std::string& path, mode_t mode) {
  if (::mkdir(path.c_str(), mode) != 0) return net::system_failure("cannot make " + path);
  return ok();
}

Result<void> enter_namespace() {
  const uid_t user = ::geteuid();
  const gid_t group = ::getegid();
  if (user == 0) {
    if (::unshare(CLONE_NEWNS) != 0) return net::system_failure("cannot make a mount namespace");
  } else {
    if (::unshare(CLONE_NEWUSER | CLONE_NEWNS) != 0) {
      return net::system_failure(
          "cannot make a user namespace (sysctl user.max_user_namespaces, "
          "kernel.unprivileged_userns_clone; on Ubuntu an AppArmor profile, see `patchbay "
          "doctor`)");
    }
    auto mapped = write_small("/proc/self/setgroups", "deny");
    if (mapped) {
      mapped = write_small("/proc/self/gid_map", fmt::format("{} {} 1", kInsideUser, group));
    }
    if (mapped) {
      mapped = write_small("/proc/self/uid_map", fmt::format("{} {} 1", kInsideUser, user));
    }
    if (!mapped) return mapped;
  }
  // Mounts made here do not propagate.
  if (::mount(nullptr, "/", nullptr, MS_REC | MS_SLAVE, nullptr) != 0) {
    return net::system_failure("cannot make mounts private");
  }
  return ok();
}

// Clocks in whole seconds since boot, which become seconds since now.
Result<void> begin_clocks() {
  if (!has_own_clocks()) return ok();
  if (::unshare(CLONE_NEWTIME) != 0) {
    return net::system_failure("cannot make a time namespace (sysctl user.max_time_namespaces)");
  }
  std::string offsets;
  for (const auto& [name, clock] : {std::pair{"monotonic", CLOCK_MONOTONIC},  //
                                    std::pair{"boottime", CLOCK_BOOTTIME}}) {
    timespec now{};
    ::clock_gettime(clock, &now);
    offsets += fmt::format("{} -{} 0\n", name, now.tv_sec);
  }
  return write_small("/proc/self/timens_offsets", offsets);
}

// The /proc/stat of a machine that starts now: programs count its processors and read its start
// time, which must match the clocks.
Result<void> write_processors() {
  constexpr std::string_view kIdle = "0 0 0 0 0 0 0 0 0 0\n";
  std::string text = fmt::format("cpu  {}", kIdle);
  const long processors = ::sysconf(_SC_NPROCESSORS_ONLN);
  for (long i = 0; i < processors; ++i) text += fmt::format("cpu{} {}", i, kIdle);
  text += fmt::format(
      "intr 0\nctxt 0\nbtime {}\nprocesses 1\nprocs_running 1\nprocs_blocked 0\nsoftirq 0\n",
      ::time(nullptr));
  return write_file(processors_path(), text);
}

// The files that a program looks for in /etc, with nothing about the machine in them.
Result<void> write_etc(const std::string& folder) {
  const std::pair<const char*, std::string> files[] = {
      {"passwd", fmt::format("root:x:0:0:root:/root:/usr/sbin/nologin\n"
                             "sandbox:x:{0}:{0}:sandbox:{1}:/bin/sh\n"
                             "nobody:x:65534:65534:nobody:/nonexistent:/usr/sbin/nologin\n",
                             kInsideUser, kWorkspace)},
      {"group", fmt::format("root:x:0:\nsandbox:x:{}:\nnogroup:x:65534:\n", kInsideUser)},
      {"hosts", "127.0.0.1 localhost sandbox\n::1 localhost\n"},
      {"hostname", "sandbox\n"},
      {"nsswitch.conf", "passwd: files\ngroup: files\nhosts: files dns\n"},
  };
  auto made = make_folder(folder, 0755);
  if (!made) return made;
  for (const auto& [name, text] : files) {
    auto written = write_file(fmt::format("{}/{}", folder, name), text);
    if (!written) return written;
  }
  return ok();
}

// In a user namespace, names are those of the inside.
uid_t owner_of_files(uid_t user) { return ::geteuid() == 0 ? user : kInsideUser; }

// The sandbox's own files: one file system in memory for all of them.
Result<void> mount_files(const Limits& limits, uid_t user) {
  const std::string root = fmt::format("{}/files", kStage);
  auto made = make_folder(root, 0755);
  if (!made) return made;
  const uid_t owner = owner_of_files(user);
  const auto options = fmt::format("size={},nr_inodes={},mode=755,uid={},gid={}", limits.disk.value,
                                   limits.files + 4, owner, owner);
  if (::mount("sandbox", root.c_str(), "tmpfs", MS_NOSUID | MS_NODEV, options.c_str()) != 0) {
    return net::system_failure("cannot mount the sandbox's files");
  }
  for (const char* const name : {"workspace", "tmp", "shm"}) {
    const std::string folder = fmt::format("{}/{}", root, name);
    made = make_folder(folder, 0700);
    if (!made) return made;
    if (::chown(folder.c_str(), owner, owner) != 0)
      return net::system_failure("cannot change the owner of " + folder);
  }
  return ok();
}

// Mounts a share at a path that is reachable without rights on its parents.
Result<void> mount_shares(const std::vector<Share>& shares) {
  for (std::size_t i = 0; i < shares.size(); ++i) {
    const std::string& from = shares[i].from;
    const std::string path = share_path(i);
    struct stat info{};
    if (::stat(from.c_str(), &info) != 0) return net::system_failure("cannot share " + from);
    auto made = S_ISDIR(info.st_mode) ? make_folder(path, 0755) : write_file(path, "");
    if (!made) return made;
    if (::mount(from.c_str(), path.c_str(), nullptr, MS_BIND | MS_REC, nullptr) != 0) {
      return net::system_failure("cannot share " + from);
    }
  }
  return ok();
}

Result<void> limit(int resource, rlim_t most, const char* name) {
  const rlimit both{most, most};
  // A limit cannot be raised above ours, only lowered.
  if (::setrlimit(static_cast<__rlimit_resource>(resource), &both) == 0) return ok();
  rlimit own{};
  ::getrlimit(static_cast<__rlimit_resource>(resource), &own);
  if (own.rlim_max <= most) return ok();
  return net::system_failure(fmt::format("the resource limit {} cannot be set", name));
}

Result<void> set_limits(const Limits& limits) {
  const auto seconds = static_cast<rlim_t>((limits.cpu_time.count() + 999) / 1000);
  const struct {
    int resource;
    rlim_t most;
    const char* name;
  } rows[] = {
      {RLIMIT_CPU, seconds == 0 ? RLIM_INFINITY : seconds, "CPU"},
      {RLIMIT_AS, limits.address_space.value, "AS"},
      {RLIMIT_FSIZE, limits.disk.value, "FSIZE"},
      {RLIMIT_NOFILE, static_cast<rlim_t>(limits.open_files), "NOFILE"},
      // A little more than the cgroup allows, which counts refused attempts.
      {RLIMIT_NPROC, static_cast<rlim_t>(limits.pids + 8), "NPROC"},
      {RLIMIT_CORE, 0, "CORE"},
      {RLIMIT_MEMLOCK, 64 << 10, "MEMLOCK"},
      {RLIMIT_MSGQUEUE, 64 << 10, "MSGQUEUE"},
      {RLIMIT_SIGPENDING, 1'024, "SIGPENDING"},
      {RLIMIT_NICE, 0, "NICE"},
      {RLIMIT_RTPRIO, 0, "RTPRIO"},
  };
  for (const auto& row : rows) {
    auto set = limit(row.resource, row.most, row.name);
    if (!set) return set;
  }
  return ok();
}

}  // namespace

uid_t outside_user(const Spec& spec) {
  if (::geteuid() != 0) return ::geteuid();
  // While this process runs its pid is unique, and so is the user.
  return spec.user != 0 ? spec.user : kFirstUser + static_cast<uid_t>(::getpid());
}

bool has_own_clocks() { return ::access("/proc/self/ns/time", F_OK) == 0; }

std::string processors_path() { return fmt::format("{}/processors", kStage); }

std::string share_path(std::size_t index) { return fmt::format("{}/share{}", kStage, index); }

Result<net::Fd> build_stage(const Spec& spec, uid_t user) {
  ::umask(022);
  auto built = enter_namespace();
  if (built) built = begin_clocks();
  if (!built) return built.error();
  const std::string stage(kStage);
  const auto options = fmt::format("size=1m,nr_inodes={},mode=755", 64 + spec.shares.size());
  if (::mount("sandbox", stage.c_str(), "tmpfs", MS_NOSUID | MS_NODEV, options.c_str()) != 0) {
    return net::system_failure("cannot mount the stage");
  }
  built = write_etc(stage + "/etc");
  if (built) built = write_processors();
  if (built) built = make_folder(stage + "/nothing", 0555);
  if (built) built = mount_files(spec.limits, user);
  if (built) built = mount_shares(spec.shares);
  if (!built) return built.error();
  const std::string workspace = stage + "/files/workspace";
  net::Fd folder(::open(workspace.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (!folder) return net::system_failure("cannot open the workspace");
  return folder;
}

std::string egress_path() { return fmt::format("{}/egress", kStage); }

Result<net::Fd> open_egress(uid_t user) {
  const std::string path = egress_path();
  auto socket = net::listen_unix(path);
  if (!socket) return socket;
  const uid_t owner = owner_of_files(user);
  if (::chown(path.c_str(), owner, owner) != 0)
    return net::system_failure("cannot change the owner of " + path);
  return socket;
}

Result<void> step_down(const Spec& spec, uid_t user) {
  if (::geteuid() == 0) {
    if (::setgroups(0, nullptr) != 0) return net::system_failure("cannot drop groups");
    if (::setresgid(user, user, user) != 0) return net::system_failure("cannot change the group");
    if (::setresuid(user, user, user) != 0) return net::system_failure("cannot change the user");
  }
  if (::prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0)
    return net::system_failure("cannot drop privileges");
  return set_limits(spec.limits);
}

}  // namespace patchbay::sandbox
