#include "sandbox/settings.h"

#include <fmt/format.h>
#include <pwd.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <charconv>
#include <cstring>

#include "net/child.h"
#include "sandbox/stage.h"

namespace patchbay::sandbox {
namespace {

// A sandbox has these of its own, and nobody else's.
constexpr std::array<std::string_view, 4> kNotShared{"/proc", "/sys", "/dev", "/workspace"};

Result<void> check_share(const std::string& path) {
  if (path.empty() || path.front() != '/' || path == "/") {
    return Error{
        Code::invalid_params,
        fmt::format("'{}' cannot be shared: name a file or folder by its whole path", path)};
  }
  for (const auto own : kNotShared) {
    if (path.starts_with(own) && (path.size() == own.size() || path[own.size()] == '/')) {
      return Error{Code::invalid_params,
                   fmt::format("'{}' cannot be shared: a sandbox has a {} of its own", path, own)};
    }
  }
  struct stat info{};
  if (::stat(path.c_str(), &info) != 0) {
    return Error{Code::unavailable,
                 fmt::format("'{}' cannot be shared: {}", path, std::strerror(errno))};
  }
  return ok();
}

Result<void> add_shares(Spec& spec, const std::vector<std::string>& paths, bool write) {
  for (const auto& path : paths) {
    auto checked = check_share(path);
    if (!checked) return checked;
    spec.shares.push_back({path, path, write});
  }
  return ok();
}

Result<std::uint32_t> user_of(const std::string& name) {
  if (name.empty()) return 0u;
  if (::geteuid() != 0) {
    return Error{Code::invalid_params,
                 "`user` can be chosen only when the gateway runs as root; leave it out"};
  }
  std::uint32_t number = 0;
  const auto parsed = std::from_chars(name.data(), name.data() + name.size(), number);
  if (parsed.ec != std::errc() || parsed.ptr != name.data() + name.size()) {
    char space[16 * 1024];
    passwd entry{};
    passwd* found = nullptr;
    ::getpwnam_r(name.c_str(), &entry, space, sizeof space, &found);
    if (!found) return Error{Code::invalid_params, fmt::format("there is no user '{}'", name)};
    number = found->pw_uid;
  }
  if (number == 0) {
    return Error{Code::invalid_params, "a sandbox cannot be root; name another `user`"};
  }
  return number;
}

}  // namespace

Result<Spec> spec_of(const Settings& settings, const std::vector<CgroupPlace>& cgroups) {
  Spec spec;
  spec.limits = settings.limits;
  spec.network = settings.network == Network::host;
  spec.root = settings.root;
  spec.cgroups = cgroups;
  auto bwrap = net::find_program({settings.bwrap, {}, net::usual_environment(), ""});
  if (!bwrap) {
    return Error{Code::unavailable,
                 fmt::format("{}; install it: apt-get install bubblewrap", bwrap.error().message)};
  }
  spec.bwrap = *bwrap;
  auto user = user_of(settings.user);
  if (!user) return user.error();
  spec.user = *user;
  auto shared = add_shares(spec, settings.read, false);
  if (shared) shared = add_shares(spec, settings.write, true);
  if (!shared) return shared.error();
  spec.environment = usual_environment();
  return spec;
}

std::vector<std::pair<std::string, std::string>> usual_environment() {
  return {{"PATH", "/usr/local/bin:/usr/bin:/bin:/usr/sbin:/sbin"},
          {"HOME", std::string(kWorkspace)},
          {"USER", "sandbox"},
          {"LOGNAME", "sandbox"},
          {"TMPDIR", "/tmp"},
          {"LANG", "C.UTF-8"}};
}

}  // namespace patchbay::sandbox
