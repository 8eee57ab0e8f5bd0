#include "net/file_watch.h"

#include <sys/inotify.h>

#include <array>
#include <filesystem>

namespace patchbay::net {
namespace {

constexpr auto kQuiet = std::chrono::milliseconds(100);

}  // namespace

FileWatch::FileWatch(const std::vector<std::string>& paths, std::function<void()> tell)
    : tell_(std::move(tell)) {
  Fd fd(::inotify_init1(IN_NONBLOCK | IN_CLOEXEC));
  if (!fd) return;
  for (const auto& path : paths) {
    const auto parent = std::filesystem::path(path).parent_path();
    const std::string folder = parent.empty() ? "." : parent.string();
    ::inotify_add_watch(fd.get(), folder.c_str(),
                        IN_CLOSE_WRITE | IN_MOVED_TO | IN_CREATE | IN_DELETE);
  }
  source_.emplace(std::move(fd));
  source_->wait_readable(*this);
}

FileWatch::~FileWatch() {
  if (source_) source_->forget(*this);
}

void FileWatch::on_ready() {
  // Which file it was matters little: whoever is told looks at the content.
  alignas(inotify_event) std::array<char, 4096> events;
  for (;;) {
    auto got = source_->try_read(events);
    if (!got || *got == 0) break;
  }
  drop();
  here().timers().set(*this, here().now() + kQuiet);
  source_->wait_readable(*this);
}

}  // namespace patchbay::net
