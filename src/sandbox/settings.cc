#include "sandbox/settings.h"

#include <fmt/format.h>
#include <pwd.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <charconv>
#include <climits>
#include <cstring>
#include <filesystem>

#include "net/process/child.h"
#include "sandbox/inside.h"
#include "sandbox/relay.h"

namespace patchbay::sandbox {
namespace {

// A sandbox has its own of these.
constexpr std::array<std::string_view, 4> kNotShared{"/proc", "/sys", "/dev", "/workspace"};

constexpr std::string_view kInitInside = "/run/patchbay-init";

// The relay accepts a few more connections than the gateway allows, so that an excess is reported.
constexpr int kTurnedAway = 16;

// Its timeout is longer than the gateway's, so that the gateway logs why a connection ended.
constexpr config::Duration kGatewayFirst{5'000};

Result<void> check_share(const std::string& path) {
  if (path.empty() || path == "/") {
    return Error{Code::invalid_params,
                 fmt::format("'{}' cannot be shared: name a file or folder of the machine", path)};
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
    const std::string whole = whole_path(path);
    auto checked = check_share(whole);
    if (!checked) return checked;
    spec.shares.push_back({whole, whole, write});
  }
  return ok();
}

// For programs that support a proxy, as most do.
void set_proxy(std::vector<std::pair<std::string, std::string>>& environment) {
  const auto proxy = fmt::format("http://{}", kProxyAddress);
  for (const char* const name : {"http_proxy", "https_proxy", "HTTP_PROXY", "HTTPS_PROXY"}) {
    environment.emplace_back(name, proxy);
  }
  for (const char* const name : {"no_proxy", "NO_PROXY"}) environment.emplace_back(name, "");
}

// Mounts our own helper inside.
void share_init(Spec& spec) {
  for (const auto& share : spec.shares) {
    if (share.to == kInitInside) return;
  }
  spec.shares.push_back({helper_program(), std::string(kInitInside)});
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

Result<Spec> spec_of(const Settings& settings, const std::vector<CgroupPath>& cgroups) {
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
  auto sound = check_egress(settings);
  if (!sound) return sound.error();
  if (!settings.egress.empty()) {
    spec.relay = settings.egress_limits.connections + kTurnedAway;
    spec.half_open = settings.egress_limits.half_open + kGatewayFirst;
    set_proxy(spec.environment);
  }
  return spec;
}

Result<void> check_egress(const Settings& settings) {
  if (settings.egress.empty()) return ok();
  if (settings.network == Network::host) {
    return Error{Code::invalid_params,
                 "`egress` bounds nothing beside `network: host`; leave out one of them"};
  }
  auto rules = EgressRules::parse(settings.egress);
  if (!rules) return rules.error();
  return ok();
}

void add_relay(Spec& spec) {
  if (spec.relay == 0) return;
  std::vector<std::string> args{std::string(kInitInside), kRelayCommand, std::to_string(spec.relay),
                                std::to_string(spec.half_open.count()), "--"};
  args.insert(args.end(), spec.args.begin(), spec.args.end());
  spec.args = std::move(args);
  share_init(spec);
}

std::string whole_path(const std::string& path) {
  std::error_code why;
  const auto whole = std::filesystem::absolute(path, why).lexically_normal().string();
  if (path.empty() || why) return path;
  return whole.size() > 1 && whole.ends_with('/') ? whole.substr(0, whole.size() - 1) : whole;
}

std::string helper_program() {
  char path[PATH_MAX];
  const auto size = ::readlink("/proc/self/exe", path, sizeof path);
  const std::string own = size > 0 ? std::string(path, static_cast<std::size_t>(size)) : "";
  const std::string beside = own.substr(0, own.rfind('/') + 1) + "patchbay-agent";
  return ::access(beside.c_str(), X_OK) == 0 ? beside : own;
}

void add_init(Spec& spec) {
  std::vector<std::string> args{std::string(kInitInside), kInsideCommand};
  for (const auto& share : spec.shares) {
    if (share.write) args.push_back(share.to);
  }
  args.emplace_back("--");
  args.insert(args.end(), spec.args.begin(), spec.args.end());
  spec.args = std::move(args);
  share_init(spec);
  add_relay(spec);
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
