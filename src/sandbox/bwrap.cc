#include "sandbox/bwrap.h"

#include <dirent.h>
#include <fmt/format.h>
#include <limits.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <memory>

#include "sandbox/relay.h"
#include "sandbox/stage.h"

namespace patchbay::sandbox {
namespace {

using Options = std::vector<std::string>;

void add(Options& options, std::initializer_list<std::string_view> args) {
  for (const auto arg : args) options.emplace_back(arg);
}

// The visible parts of the machine: programs and libraries, and the files they need.
constexpr std::string_view kPrograms[] = {"/usr",   "/bin",   "/sbin",  "/lib",
                                          "/lib32", "/lib64", "/libx32"};
constexpr std::string_view kSettings[] = {
    "/etc/alternatives", "/etc/ld.so.cache",     "/etc/ld.so.conf",      "/etc/ld.so.conf.d",
    "/etc/localtime",    "/etc/mime.types",      "/etc/protocols",       "/etc/services",
    "/etc/ssl/certs",    "/etc/ssl/openssl.cnf", "/etc/ca-certificates", "/etc/perl",
    "/etc/magic"};

// The parts that the stage provides instead.
constexpr std::string_view kWrittenSettings[] = {"passwd", "group", "hosts", "hostname",
                                                 "nsswitch.conf"};

// Never taken from a root: created for each sandbox.
constexpr std::array<std::string_view, 7> kOwnFolders{"/proc", "/dev", "/sys",      "/tmp",
                                                      "/run",  "/etc", "/workspace"};

// What a private /proc still reveals about the machine.
constexpr std::string_view kMasked[] = {
    "/proc/kcore",         "/proc/keys",        "/proc/timer_list",
    "/proc/kallsyms",      "/proc/sched_debug", "/proc/latency_stats",
    "/proc/sysrq-trigger", "/proc/kmsg",        "/proc/config.gz",
    "/proc/modules",       "/proc/interrupts",  "/proc/sys/kernel/random/boot_id",
    "/proc/cmdline",       "/proc/bootconfig",  "/proc/partitions",
    "/proc/diskstats",     "/proc/iomem",       "/proc/ioports",
    "/proc/timer_stats",   "/proc/softirqs",    "/proc/vmallocinfo",
    "/proc/schedstat"};
constexpr std::string_view kEmptied[] = {"/proc/acpi",     "/proc/asound", "/proc/bus",
                                         "/proc/driver",   "/proc/fs",     "/proc/irq",
                                         "/proc/pressure", "/proc/scsi"};

// Mounts `from` at `to`, read-only; a link is created as the same link.
void show(Options& options, const std::string& from, std::string_view to) {
  struct stat info{};
  if (::lstat(from.c_str(), &info) != 0) return;
  if (!S_ISLNK(info.st_mode)) {
    add(options, {"--ro-bind", from, to});
    return;
  }
  char target[PATH_MAX];
  const auto size = ::readlink(from.c_str(), target, sizeof target);
  if (size > 0) {
    add(options, {"--symlink", std::string_view(target, static_cast<std::size_t>(size)), to});
  }
}

void show_machine(Options& options) {
  for (const auto path : kPrograms) show(options, std::string(path), path);
  for (const auto path : kSettings) {
    if (::access(std::string(path).c_str(), R_OK) == 0) add(options, {"--ro-bind", path, path});
  }
}

// Everything at the top of `root`, except what a sandbox has of its own.
void show_root(Options& options, const std::string& root) {
  const std::unique_ptr<DIR, int (*)(DIR*)> folder(::opendir(root.c_str()), ::closedir);
  if (!folder) return;
  std::vector<std::string> names;
  while (const dirent* const entry = ::readdir(folder.get())) names.emplace_back(entry->d_name);
  std::ranges::sort(names);
  for (const auto& name : names) {
    const std::string to = "/" + name;
    const bool own = std::ranges::find(kOwnFolders, to) != kOwnFolders.end();
    if (name == "." || name == ".." || own) continue;
    show(options, root + to, to);
  }
}

void show_shares(Options& options, const std::vector<Share>& shares) {
  for (std::size_t i = 0; i < shares.size(); ++i) {
    add(options, {shares[i].write ? "--bind" : "--ro-bind", share_path(i), shares[i].to});
  }
}

void set_apart(Options& options, const Spec& spec) {
  add(options, {"--unshare-user", "--unshare-pid", "--unshare-ipc", "--unshare-uts",
                "--unshare-cgroup", "--disable-userns"});
  if (!spec.network) add(options, {"--unshare-net"});
  const auto user = std::to_string(kInsideUser);
  add(options, {"--uid", user, "--gid", user, "--hostname", "sandbox", "--die-with-parent",
                "--new-session", "--clearenv", "--as-pid-1"});
}

}  // namespace

std::vector<std::string> seen_of(const Spec& spec) {
  std::vector<std::string> seen;
  if (!spec.root.empty()) seen.push_back(spec.root);
  if (spec.root.empty()) seen.insert(seen.end(), std::begin(kPrograms), std::end(kPrograms));
  if (spec.root.empty()) seen.insert(seen.end(), std::begin(kSettings), std::end(kSettings));
  for (const auto& share : spec.shares) seen.push_back(share.from);
  return seen;
}

std::vector<std::string> bwrap_options(const Spec& spec, int filter) {
  Options options;
  set_apart(options, spec);
  const std::string stage(kStage);
  if (spec.root.empty()) {
    show_machine(options);
  } else {
    show_root(options, spec.root);
    show(options, spec.root + "/etc/alternatives", "/etc/alternatives");
    show(options, spec.root + "/etc/ld.so.cache", "/etc/ld.so.cache");
    show(options, spec.root + "/etc/ssl", "/etc/ssl");
  }
  for (const auto name : kWrittenSettings) {
    add(options,
        {"--ro-bind", fmt::format("{}/etc/{}", stage, name), fmt::format("/etc/{}", name)});
  }
  if (spec.network) show(options, "/etc/resolv.conf", "/etc/resolv.conf");
  add(options, {"--proc", "/proc", "--dev", "/dev"});
  add(options, {"--bind", stage + "/files/workspace", kWorkspace});
  add(options, {"--bind", stage + "/files/tmp", "/tmp"});
  add(options, {"--bind", stage + "/files/shm", "/dev/shm"});
  add(options, {"--symlink", "/tmp", "/var/tmp", "--dir", "/run"});
  show_shares(options, spec.shares);
  if (spec.relay > 0) add(options, {"--ro-bind", egress_path(), kEgressInside});
  for (const auto path : kMasked) {
    if (::access(std::string(path).c_str(), F_OK) == 0) {
      add(options, {"--ro-bind", "/dev/null", path});
    }
  }
  for (const auto path : kEmptied) {
    if (::access(std::string(path).c_str(), F_OK) == 0) {
      add(options, {"--ro-bind", stage + "/nothing", path});
    }
  }
  // It depends on the private clocks: by those of the machine, it would be wrong.
  if (has_own_clocks()) add(options, {"--ro-bind", processors_path(), "/proc/stat"});
  // Last: from here on only the sandbox's own files can be written.
  add(options, {"--remount-ro", "/dev", "--remount-ro", "/"});
  for (const auto& [name, value] : spec.environment) add(options, {"--setenv", name, value});
  add(options, {"--chdir", spec.folder, "--seccomp", std::to_string(filter)});
  return options;
}

}  // namespace patchbay::sandbox
