#include "osquery/tables/allowed_files.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>

#include <algorithm>

#include "osquery/files.h"

namespace patchbay::osquery {
namespace {

constexpr int kDeepest = 32;  // Folders below the fixed part of a pattern.

// The path of an open descriptor, from the kernel.
std::string path_of(int fd) {
  return read_link_at(AT_FDCWD, fmt::format("/proc/self/fd/{}", fd).c_str());
}

bool lies_in(std::string_view path, std::string_view root) {
  if (root == "/") return true;
  return path.starts_with(root) && (path.size() == root.size() || path[root.size()] == '/');
}

// Roots may be links themselves, as /bin is.
bool is_allowed(const Machine& machine, int fd) {
  const std::string path = path_of(fd);
  return std::ranges::any_of(machine.file_roots, [&](const std::string& root) {
    const net::Fd folder = open_folder(machine.path(root));
    return folder && lies_in(path, path_of(folder.get()));
  });
}

class Walk {
 public:
  Walk(Scan& scan, const std::function<bool(const FoundFile&)>& visit)
      : scan_(scan), visit_(visit) {}

  void one(const std::string& path) {
    const auto slash = path.rfind('/');
    if (slash == std::string::npos) return;
    const std::string name = path.substr(slash + 1);
    const net::Fd folder = enter(path.substr(0, slash + 1));
    struct stat ignored{};
    if (!folder || name == "." || name == "..") return;
    if (!name.empty() &&
        ::fstatat(folder.get(), name.c_str(), &ignored, AT_SYMLINK_NOFOLLOW) != 0) {
      return;
    }
    visit_({path, folder.get(), name});
  }

  // The contents of `folder`, which ends with a slash, and of `deeper` folders below.
  bool all(const std::string& folder, int deeper) {
    const net::Fd open = enter(folder);
    if (!open) return true;
    for (const std::string& name : names_in(fmt::format("/proc/self/fd/{}", open.get()))) {
      const std::string path = folder + name;
      if (!visit_({path, open.get(), name})) return false;
      struct stat found{};
      const bool below = deeper > 0 &&
                         ::fstatat(open.get(), name.c_str(), &found, AT_SYMLINK_NOFOLLOW) == 0 &&
                         S_ISDIR(found.st_mode);
      if (below && !all(path + "/", deeper - 1)) return false;
    }
    return true;
  }

 private:
  net::Fd enter(const std::string& folder) {
    net::Fd open = open_folder(scan_.machine().path(folder));
    return open && is_allowed(scan_.machine(), open.get()) ? std::move(open) : net::Fd();
  }

  Scan& scan_;
  const std::function<bool(const FoundFile&)>& visit_;
};

}  // namespace

std::string_view fixed_folder(std::string_view pattern) {
  const auto fixed = pattern.substr(0, pattern.find('%'));
  return fixed.substr(0, fixed.rfind('/') + 1);
}

Result<void> each_file(Scan& scan, int path_column, int directory_column,
                       const std::function<bool(const FoundFile&)>& visit) {
  Walk walk(scan, visit);
  if (const Given* const path = scan.given(path_column)) {
    if (!path->text.starts_with('/')) return ok();
    if (!path->like) {
      walk.one(path->text);
      return ok();
    }
    // As osquery has it: `%` is one level, `%%` all of them.
    const std::string folder(fixed_folder(path->text));
    const auto levels = std::ranges::count(path->text.substr(folder.size()), '/');
    const bool deep = path->text.find("%%") != std::string::npos;
    walk.all(folder,
             deep ? kDeepest : static_cast<int>(std::min<std::ptrdiff_t>(levels, kDeepest)));
    return ok();
  }
  if (const Given* const folder = scan.given(directory_column)) {
    if (folder->like || !folder->text.starts_with('/')) return ok();
    walk.all(folder->text.ends_with('/') ? folder->text : folder->text + "/", 0);
    return ok();
  }
  return Error{Code::invalid_params,
               "the table needs path = '…', path LIKE '…' or directory = '…' in WHERE"};
}

net::Fd open_allowed(const Machine& machine, const FoundFile& file) {
  if (file.name.empty()) return {};
  net::Fd open(
      ::openat(file.folder, file.name.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY));
  struct stat found{};
  const bool good = open && ::fstat(open.get(), &found) == 0 && S_ISREG(found.st_mode) &&
                    is_allowed(machine, open.get());
  return good ? std::move(open) : net::Fd();
}

}  // namespace patchbay::osquery
