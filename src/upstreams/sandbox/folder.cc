#include "upstreams/sandbox/folder.h"

#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <filesystem>

#include "core/discard.h"
#include "sandbox/process_mark.h"

namespace patchbay::upstreams {
namespace {

namespace fs = std::filesystem;

std::string base_folder() {
  const char* const given = std::getenv("TMPDIR");
  return given && *given ? given : "/tmp";
}

std::string prefix_of(std::string_view kind) { return fmt::format("patchbay-{}-", kind); }

bool is_our_folder(const fs::path& path) {
  struct stat info{};
  return ::lstat(path.c_str(), &info) == 0 && S_ISDIR(info.st_mode) && info.st_uid == ::geteuid();
}

}  // namespace

Result<std::string> make_sandbox_folder(std::string_view kind) {
  std::string name = fmt::format("{}/{}{}-XXXXXX", base_folder(), prefix_of(kind),
                                 sandbox::process_mark(::getpid()));
  if (::mkdtemp(name.data())) return name;
  return Error{Code::unavailable, fmt::format("cannot make {}: {}", name, std::strerror(errno))};
}

Result<void> remove_sandbox_folder(const std::string& folder) {
  std::error_code why;
  fs::remove_all(folder, why);
  if (!why) return ok();
  return Error{Code::internal, fmt::format("cannot remove {}: {}", folder, why.message())};
}

void sweep_sandbox_folders(std::string_view kind) {
  std::error_code why;
  const std::string prefix = prefix_of(kind);
  for (fs::directory_iterator at(base_folder(), why), end; !why && at != end; at.increment(why)) {
    const std::string name = at->path().filename();
    if (!name.starts_with(prefix) || !is_our_folder(at->path())) continue;
    const auto owner = sandbox::owner_of(std::string_view(name).substr(prefix.size()));
    if (owner != sandbox::Owner::dead) continue;
    discard(remove_sandbox_folder(at->path()), "the next sweep tries again");
  }
}

}  // namespace patchbay::upstreams
