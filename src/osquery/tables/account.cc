// users, groups, user_groups, logged_in_users: the accounts of the machine.
#include <utmpx.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <set>
#include <vector>

#include "osquery/files.h"
#include "osquery/tables/account.h"
#include "osquery/tables/all.h"
#include "osquery/text.h"

namespace patchbay::osquery {

std::vector<Account> parse_passwd(std::string_view text) {
  std::vector<Account> accounts;
  each_line(text, [&](std::string_view line) {
    const auto name = take_until(line, ':');
    take_until(line, ':');  // The password, which is elsewhere.
    const auto uid = number<std::uint32_t>(take_until(line, ':'));
    const auto gid = number<std::uint32_t>(take_until(line, ':'));
    if (name.empty() || name.starts_with('#') || !uid || !gid) return;
    const auto description = take_until(line, ':');
    const auto owner = take_until(line, ':');
    accounts.push_back({std::string(name), *uid, *gid, std::string(description), std::string(owner),
                        std::string(trimmed(line))});
  });
  return accounts;
}

std::vector<Group> parse_group(std::string_view text) {
  std::vector<Group> groups;
  each_line(text, [&](std::string_view line) {
    const auto name = take_until(line, ':');
    take_until(line, ':');
    const auto gid = number<std::uint32_t>(take_until(line, ':'));
    if (name.empty() || name.starts_with('#') || !gid) return;
    Group group{std::string(name), *gid, {}};
    line = trimmed(line);
    while (!line.empty()) group.members.emplace_back(trimmed(take_until(line, ',')));
    groups.push_back(std::move(group));
  });
  return groups;
}

namespace {

std::int64_t as_signed(std::uint32_t id) { return static_cast<std::int32_t>(id); }

std::vector<Account> accounts(const Scan& scan) {
  return parse_passwd(read_file(scan.machine().path("/etc/passwd")));
}

std::vector<Group> groups(const Scan& scan) {
  return parse_group(read_file(scan.machine().path("/etc/group")));
}

namespace user {
enum { uid, gid, uid_signed, gid_signed, username, description, directory, shell, uuid };
}
constexpr std::array kUserColumns{
    Column{"uid", Type::bigint},        Column{"gid", Type::bigint},
    Column{"uid_signed", Type::bigint}, Column{"gid_signed", Type::bigint},
    Column{"username", Type::text},     Column{"description", Type::text},
    Column{"directory", Type::text},    Column{"shell", Type::text},
    Column{"uuid", Type::text},
};

Result<void> read_users(Scan& scan) {
  for (const auto& one : accounts(scan)) {
    if (!scan.row()) return ok();
    scan.set(user::uid, one.uid);
    scan.set(user::gid, one.gid);
    scan.set(user::uid_signed, as_signed(one.uid));
    scan.set(user::gid_signed, as_signed(one.gid));
    scan.set(user::username, one.name);
    scan.set(user::description, one.description);
    scan.set(user::directory, one.owner);
    scan.set(user::shell, one.shell);
  }
  return ok();
}

namespace group {
enum { gid, gid_signed, groupname };
}
constexpr std::array kGroupColumns{
    Column{"gid", Type::bigint},
    Column{"gid_signed", Type::bigint},
    Column{"groupname", Type::text},
};

Result<void> read_groups(Scan& scan) {
  for (const auto& one : groups(scan)) {
    if (!scan.row()) return ok();
    scan.set(group::gid, one.gid);
    scan.set(group::gid_signed, as_signed(one.gid));
    scan.set(group::groupname, one.name);
  }
  return ok();
}

namespace member {
enum { uid, gid };
}
constexpr std::array kMemberColumns{
    Column{"uid", Type::bigint},
    Column{"gid", Type::bigint},
};

// A user is in the group of its account, and in those that name it.
Result<void> read_members(Scan& scan) {
  const auto all = groups(scan);
  for (const auto& account : accounts(scan)) {
    std::set<std::uint32_t> of{account.gid};
    for (const auto& one : all) {
      if (std::ranges::find(one.members, account.name) != one.members.end()) of.insert(one.gid);
    }
    for (const std::uint32_t gid : of) {
      if (!scan.row()) return ok();
      scan.set(member::uid, account.uid);
      scan.set(member::gid, gid);
    }
  }
  return ok();
}

namespace login {
enum { type, user, tty, host, time, pid };
}
constexpr std::array kLoginColumns{
    Column{"type", Type::text}, Column{"user", Type::text},   Column{"tty", Type::text},
    Column{"host", Type::text}, Column{"time", Type::bigint}, Column{"pid", Type::integer},
};

struct LoginKind {
  short kind;
  std::string_view name;
};
constexpr std::array kLoginKinds{
    LoginKind{RUN_LVL, "runlevel"},  LoginKind{BOOT_TIME, "boot_time"},
    LoginKind{NEW_TIME, "new_time"}, LoginKind{OLD_TIME, "old_time"},
    LoginKind{INIT_PROCESS, "init"}, LoginKind{LOGIN_PROCESS, "login"},
    LoginKind{USER_PROCESS, "user"}, LoginKind{DEAD_PROCESS, "dead"},
};

template <std::size_t N>
std::string_view field(const char (&bytes)[N]) {
  return {bytes, ::strnlen(bytes, N)};
}

Result<void> read_logins(Scan& scan) {
  const std::string records = read_file(scan.machine().path("/run/utmp"));
  for (std::size_t at = 0; at + sizeof(utmpx) <= records.size(); at += sizeof(utmpx)) {
    utmpx one;
    std::memcpy(&one, records.data() + at, sizeof one);
    const auto* const kind = std::ranges::find(kLoginKinds, one.ut_type, &LoginKind::kind);
    if (kind == kLoginKinds.end()) continue;
    if (!scan.row()) return ok();
    scan.set(login::type, kind->name);
    scan.set(login::user, field(one.ut_user));
    scan.set(login::tty, field(one.ut_line));
    scan.set(login::host, field(one.ut_host));
    scan.set(login::time, one.ut_tv.tv_sec);
    scan.set(login::pid, one.ut_pid);
  }
  return ok();
}

}  // namespace

constinit const Table kUsers{"users", "The local accounts.", kUserColumns, read_users};
constinit const Table kGroups{"groups", "The local groups.", kGroupColumns, read_groups};
constinit const Table kUserGroups{"user_groups", "The groups of each account.", kMemberColumns,
                                  read_members};
constinit const Table kLoggedInUsers{"logged_in_users", "Logins and related records.",
                                     kLoginColumns, read_logins};

}  // namespace patchbay::osquery
