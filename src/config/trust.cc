#include "config/trust.h"

#include <fmt/format.h>
#include <limits.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include <array>
#include <deque>
#include <filesystem>
#include <fstream>
#include <optional>
#include <string_view>

namespace patchbay::config {
namespace {

constexpr int kMostLinks = 40;  // The limit of the kernel.

// In a user namespace, all unmapped users have one id. That includes the machine's root, so this id
// counts as trusted there.
struct Unmapped {
  std::optional<uid_t> user;
  std::optional<gid_t> group;
};

std::optional<unsigned> overflow_id(const char* map, const char* overflow) {
  unsigned inside = 0;
  unsigned outside = 0;
  unsigned count = 0;
  if (!(std::ifstream(map) >> inside >> outside >> count)) return std::nullopt;
  const bool everybody = inside == 0 && outside == 0 && count == 0xFFFFFFFF;
  unsigned id = 0;
  if (everybody || !(std::ifstream(overflow) >> id)) return std::nullopt;
  return id;
}

const Unmapped& unmapped() {
  static const Unmapped ids{overflow_id("/proc/self/uid_map", "/proc/sys/kernel/overflowuid"),
                            overflow_id("/proc/self/gid_map", "/proc/sys/kernel/overflowgid")};
  return ids;
}

bool is_trusted_user(uid_t user) {
  return user == 0 || user == ::geteuid() || user == unmapped().user;
}

bool is_trusted_group(gid_t group) {
  return group == 0 || group == ::getegid() || group == unmapped().group;
}

bool is_read_only(const std::string& path) {
  struct statvfs about{};
  return ::statvfs(path.c_str(), &about) == 0 && (about.f_flag & ST_RDONLY) != 0;
}

// Who besides the owner may write, for the message, and the option of chmod.
struct Writers {
  std::string name;
  std::string_view revoke;
};

std::optional<Writers> foreign_writers(const struct stat& about) {
  if ((about.st_mode & S_IWOTH) != 0) return Writers{"anyone", "o-w"};
  if ((about.st_mode & S_IWGRP) == 0 || is_trusted_group(about.st_gid)) return std::nullopt;
  return Writers{fmt::format("the group {}", about.st_gid), "g-w"};
}

std::string file_fault(const std::string& path, const struct stat& about) {
  if (!is_trusted_user(about.st_uid)) {
    return fmt::format(
        "belongs to the user {}, who may change it; chown {} {}, or run this program as that user",
        about.st_uid, ::geteuid(), path);
  }
  const auto writers = foreign_writers(about);
  if (!writers) return {};
  return fmt::format("may be changed by {}; chmod {} {}", writers->name, writers->revoke, path);
}

// Whether another user could replace the entry at `path`, which is in `folder`.
std::string folder_fault(const std::string& folder, const std::string& path,
                         const struct stat& entry) {
  struct stat about{};
  if (::stat(folder.c_str(), &about) != 0) return {};
  if (!is_trusted_user(about.st_uid)) {
    return fmt::format(
        "may be replaced by the user {}, to whom the folder {} belongs; chown {} {}, or run this "
        "program as that user",
        about.st_uid, folder, ::geteuid(), folder);
  }
  const auto writers = foreign_writers(about);
  if (!writers) return {};
  if ((about.st_mode & S_ISVTX) != 0) {
    // The owner of a file or a folder is checked next; that of a link is not.
    if (!S_ISLNK(entry.st_mode) || is_trusted_user(entry.st_uid)) return {};
    return fmt::format("is reached by the link {}, which belongs to the user {}; chown -h {} {}",
                       path, entry.st_uid, ::geteuid(), path);
  }
  return fmt::format("may be replaced by {}, who may write to the folder {}; chmod {} {}",
                     writers->name, folder, writers->revoke, folder);
}

std::optional<std::string> link_target(const std::string& link) {
  std::array<char, PATH_MAX> target;
  const ssize_t size = ::readlink(link.c_str(), target.data(), target.size());
  if (size < 0) return std::nullopt;
  return std::string(target.data(), static_cast<std::size_t>(size));
}

// Walks from the root to the file as the kernel does, one name at a time.
class Walk {
 public:
  explicit Walk(const std::string& path) {
    std::error_code fault;
    go_to(std::filesystem::absolute(path, fault).string());
  }

  std::string fault() {
    while (!rest_.empty()) {
      std::string fault = step();
      if (!fault.empty() || lost_) return fault;
    }
    return {};
  }

 private:
  // Prepends a path to the remaining names.
  void go_to(const std::string& path) {
    if (path.starts_with('/')) folder_ = "/";
    auto at = rest_.begin();
    for (const auto& name : std::filesystem::path(path).relative_path()) {
      at = rest_.insert(at, name.string()) + 1;
    }
  }

  std::string step() {
    const std::string name = std::move(rest_.front());
    rest_.pop_front();
    if (name.empty() || name == ".") return {};
    if (name == "..") {
      folder_ = std::filesystem::path(folder_).parent_path().string();
      return {};
    }
    const std::string path = folder_ == "/" ? folder_ + name : folder_ + "/" + name;
    struct stat entry{};
    if (::lstat(path.c_str(), &entry) != 0) {
      lost_ = true;  // Reading the file will report the reason.
      return {};
    }
    if (!is_read_only(folder_)) {
      std::string fault = folder_fault(folder_, path, entry);
      if (!fault.empty()) return fault;
    }
    if (S_ISLNK(entry.st_mode)) return follow(path);
    if (S_ISREG(entry.st_mode)) return is_read_only(path) ? "" : file_fault(path, entry);
    folder_ = path;
    return {};
  }

  std::string follow(const std::string& link) {
    const auto target = link_target(link);
    if (!target || ++links_ > kMostLinks) {
      lost_ = true;
      return {};
    }
    go_to(*target);
    return {};
  }

  std::string folder_ = "/";  // The current folder; no part of it is a link.
  std::deque<std::string> rest_;
  int links_ = 0;
  bool lost_ = false;
};

}  // namespace

std::string untrusted_writers(const std::string& path) { return Walk(path).fault(); }

}  // namespace patchbay::config
