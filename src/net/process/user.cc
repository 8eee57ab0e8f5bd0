#include "net/process/user.h"

#include <fmt/format.h>
#include <grp.h>
#include <pwd.h>
#include <unistd.h>

#include <charconv>
#include <cstring>
#include <optional>
#include <string_view>

namespace patchbay::net {
namespace {

constexpr std::size_t kEntry = 64 * 1024;  // Bytes of an entry of the database.
constexpr int kMostGroups = 65'536;        // The maximum of the kernel.

Error wrong(std::string why) { return {Code::unavailable, std::move(why)}; }

std::optional<unsigned> as_number(std::string_view text) {
  unsigned value = 0;
  const auto [end, fault] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (fault != std::errc() || end != text.data() + text.size() || value == ~0U) return std::nullopt;
  return value;
}

// Empty: not in the database.
Result<std::optional<User>> look_up(const std::string& name) {
  std::string memory(kEntry, '\0');
  passwd entry{};
  passwd* found = nullptr;
  const auto number = as_number(name);
  const int fault = number
                        ? ::getpwuid_r(*number, &entry, memory.data(), memory.size(), &found)
                        : ::getpwnam_r(name.c_str(), &entry, memory.data(), memory.size(), &found);
  if (fault != 0) {
    return wrong(fmt::format("cannot look up the user {}: {}", name, std::strerror(fault)));
  }
  if (!found) return std::optional<User>();
  User user{entry.pw_uid, entry.pw_gid, {}, entry.pw_name, entry.pw_dir, entry.pw_shell};
  return std::optional<User>(std::move(user));
}

Result<gid_t> find_group(const std::string& name) {
  if (const auto number = as_number(name)) return *number;
  std::string memory(kEntry, '\0');
  group entry{};
  group* found = nullptr;
  const int fault = ::getgrnam_r(name.c_str(), &entry, memory.data(), memory.size(), &found);
  if (fault != 0) {
    return wrong(fmt::format("cannot look up the group {}: {}", name, std::strerror(fault)));
  }
  if (!found) return wrong(fmt::format("there is no group {}", name));
  return entry.gr_gid;
}

void find_groups(User& user) {
  user.groups = {user.gid};
  if (user.name.empty()) return;
  int count = 64;
  for (;;) {
    user.groups.resize(static_cast<std::size_t>(count));
    const int had = count;
    if (::getgrouplist(user.name.c_str(), user.gid, user.groups.data(), &count) >= 0) break;
    if (count <= had || count > kMostGroups) break;  // No more than fit.
  }
  user.groups.resize(static_cast<std::size_t>(count));
}

}  // namespace

Result<User> find_user(const std::string& text) {
  const auto colon = text.find(':');
  const std::string name = text.substr(0, colon);
  auto known = look_up(name);
  if (!known) return known.error();
  User user;
  if (*known) {
    user = **std::move(known);
  } else if (const auto number = as_number(name); number && colon != std::string::npos) {
    user.uid = *number;
  } else if (number) {
    return wrong(
        fmt::format("no user has the number {}: name its group too, as {}:GROUP", name, name));
  } else {
    return wrong(fmt::format("there is no user {}", name));
  }
  if (colon != std::string::npos) {
    auto group = find_group(text.substr(colon + 1));
    if (!group) return group.error();
    user.gid = *group;
  }
  find_groups(user);
  const bool is_ours = user.uid == ::geteuid() && user.gid == ::getegid();
  if (is_ours || ::geteuid() == 0) return user;
  return wrong(
      fmt::format("cannot become the user {}: only a gateway that runs as root can", text));
}

}  // namespace patchbay::net
