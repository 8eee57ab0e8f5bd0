#include "agent/tree.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <linux/openat2.h>
#include <sys/stat.h>
#include <sys/syscall.h>

#include <cerrno>
#include <climits>
#include <cstdlib>
#include <cstring>

#include "sandbox/kernel_rules.h"

namespace patchbay::agent {
namespace {

constexpr int kTries = 100;

int open_beneath(int folder, const char* path, int flags, unsigned mode) {
  open_how how{};
  how.flags = static_cast<unsigned>(flags);
  how.mode = (flags & O_CREAT) != 0 ? mode : 0;
  how.resolve = RESOLVE_BENEATH | RESOLVE_NO_MAGICLINKS;
  // While folders are being moved, the kernel may fail to resolve; it succeeds on a later attempt.
  for (int tries = 0;; ++tries) {
    const long fd = ::syscall(SYS_openat2, folder, path, &how, sizeof how);
    if (fd >= 0 || errno != EAGAIN || tries == kTries) return static_cast<int>(fd);
  }
}

struct Split {
  std::string parent;
  std::string name;
};

Split split(std::string_view path) {
  while (path.size() > 1 && path.back() == '/') path.remove_suffix(1);
  const auto slash = path.rfind('/');
  const auto name = slash == std::string_view::npos ? path : path.substr(slash + 1);
  Split parts{".", std::string(name)};
  if (slash == 0) parts.parent = "/";
  if (slash != std::string_view::npos && slash > 0) parts.parent = path.substr(0, slash);
  if (name == "." || name == "..") parts.name.clear();
  return parts;
}

}  // namespace

Result<Tree> Tree::beneath(const std::string& folder) {
  char real[PATH_MAX];
  const auto fault = [&folder] {
    return Error{Code::invalid_params,
                 fmt::format("cannot use the folder {}: {}", folder, std::strerror(errno))};
  };
  if (!::realpath(folder.c_str(), real)) return fault();
  Tree tree;
  tree.root_ = real;
  tree.folder_ = net::Fd(::open(real, O_PATH | O_DIRECTORY | O_CLOEXEC));
  if (!tree.folder_) return fault();
  const net::Fd probe(open_beneath(tree.folder_.get(), ".", O_PATH | O_CLOEXEC, 0));
  if (!probe) {
    return Error{Code::unavailable,
                 fmt::format("cannot confine files to {}: openat2: {}", folder,
                             sandbox::openat2_fault(errno, sandbox::kernel_release()))};
  }
  return tree;
}

net::Fd Tree::open(const std::string& path, int flags, unsigned mode) const {
  flags |= O_CLOEXEC;
  if (root_.empty()) return net::Fd(::open(path.c_str(), flags, mode));
  if (!path.starts_with('/')) {
    return net::Fd(open_beneath(folder_.get(), path.c_str(), flags, mode));
  }
  std::string_view rest = path;
  const std::string_view root = root_ == "/" ? std::string_view() : root_;
  if (!rest.starts_with(root) || (rest.size() > root.size() && rest[root.size()] != '/')) {
    errno = EXDEV;
    return {};
  }
  rest.remove_prefix(root.size());
  while (rest.starts_with('/')) rest.remove_prefix(1);
  const std::string inside(rest.empty() ? "." : rest);
  return net::Fd(open_beneath(folder_.get(), inside.c_str(), flags, mode));
}

Tree::Entry Tree::entry_of(const std::string& path) const {
  const Split parts = split(path);
  return {open(parts.parent, O_PATH | O_DIRECTORY), parts.name == "/" ? "" : parts.name};
}

bool Tree::make_parents(const std::string& path) const {
  const std::string parent = split(path).parent;
  if (open(parent, O_PATH | O_DIRECTORY)) return true;
  if (errno != ENOENT || parent == "." || parent == "/" || !make_parents(parent)) return false;
  const Entry entry = entry_of(parent);
  if (!entry.folder || entry.name.empty()) return false;
  return ::mkdirat(entry.folder.get(), entry.name.c_str(), 0777) == 0 || errno == EEXIST;
}

}  // namespace patchbay::agent
