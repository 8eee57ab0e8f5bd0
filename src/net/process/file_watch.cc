#include "net/process/file_watch.h"

#include <sys/inotify.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <map>
#include <optional>
#include <set>
#include <system_error>

#include "async/executor.h"
#include "net/io/source.h"
#include "observe/log.h"

namespace patchbay::net {
namespace {

constexpr auto kIdle = std::chrono::milliseconds(100);
constexpr auto kPoll = std::chrono::seconds(1);
constexpr std::uint32_t kEvents = IN_CLOSE_WRITE | IN_MOVED_TO | IN_MOVED_FROM | IN_CREATE |
                                  IN_DELETE | IN_ATTRIB | IN_MOVE_SELF | IN_ONLYDIR;

struct FolderEvent {
  int watch;
  std::uint32_t mask;
};

std::vector<FolderEvent> events_in(std::string_view bytes) {
  std::vector<FolderEvent> events;
  while (bytes.size() >= sizeof(inotify_event)) {
    inotify_event event;
    std::memcpy(&event, bytes.data(), sizeof event);
    events.push_back({event.wd, event.mask});
    bytes.remove_prefix(std::min(bytes.size(), sizeof event + event.len));
  }
  return events;
}

}  // namespace

// The one inotify instance of a thread, and which watches observe which folder.
class FileWatch::Notifier final : Source::Waiter {
 public:
  static std::shared_ptr<Notifier> of_this_thread() {
    static thread_local std::weak_ptr<Notifier> shared;
    auto notifier = shared.lock();
    if (!notifier) shared = notifier = std::make_shared<Notifier>();
    return notifier;
  }

  ~Notifier() {
    if (source_) source_->forget(*this);
  }

  // False where the kernel cannot watch the folder.
  bool add(const std::string& folder, FileWatch& watch) {
    if (!source_ && !open()) return false;
    const int number = ::inotify_add_watch(source_->fd(), folder.c_str(), kEvents);
    if (number < 0) {
      log_once(folder, errno);
      return false;
    }
    folders_[number].insert(&watch);
    return true;
  }

  void remove(FileWatch& watch) {
    for (auto folder = folders_.begin(); folder != folders_.end();) {
      folder->second.erase(&watch);
      if (folder->second.empty()) {
        ::inotify_rm_watch(source_->fd(), folder->first);
        folder = folders_.erase(folder);
      } else {
        ++folder;
      }
    }
  }

 private:
  bool open() {
    Fd fd(::inotify_init1(IN_NONBLOCK | IN_CLOEXEC));
    if (!fd) {
      log_once("", errno);
      return false;
    }
    source_.emplace(std::move(fd));
    source_->wait_readable(*this);
    return true;
  }

  // Logged once; the folder is polled every second.
  void log_once(const std::string& folder, int fault) {
    if (!logged_.insert(folder).second) return;
    log::Line line(log::Level::warn, "files are polled");
    line.add("why", std::error_code(fault, std::generic_category()).message());
    if (!folder.empty()) {
      line.add("folder", folder);
    } else {
      line.add("hint", "raise fs.inotify.max_user_instances");
    }
  }

  void on_ready() override {
    std::set<FileWatch*> changed;
    std::set<FileWatch*> lost;
    alignas(inotify_event) std::array<char, 16384> bytes;
    for (;;) {
      auto got = source_->try_read(bytes);
      if (!got || *got == 0) break;
      for (const auto& event : events_in({bytes.data(), *got})) take(event, changed, lost);
    }
    source_->wait_readable(*this);
    // None of these calls destroys a watch: notifications are deferred.
    for (auto* const watch : lost) watch->on_folder_lost();
    for (auto* const watch : changed) watch->on_folder_changed();
  }

  void take(const FolderEvent& event, std::set<FileWatch*>& changed, std::set<FileWatch*>& lost) {
    if ((event.mask & IN_Q_OVERFLOW) != 0) {
      for (const auto& [number, watches] : folders_) changed.insert(watches.begin(), watches.end());
      return;
    }
    const auto folder = folders_.find(event.watch);
    if (folder == folders_.end()) return;
    changed.insert(folder->second.begin(), folder->second.end());
    // Another folder may get its old name soon; the kernel follows the moved one.
    if ((event.mask & IN_MOVE_SELF) != 0) ::inotify_rm_watch(source_->fd(), event.watch);
    if ((event.mask & IN_IGNORED) == 0) return;
    lost.insert(folder->second.begin(), folder->second.end());
    folders_.erase(folder);
  }

  std::optional<Source> source_;
  std::map<int, std::set<FileWatch*>> folders_;
  std::set<std::string> logged_;  // Folders that the log has named as polled.
};

FileWatch::FileWatch(std::vector<std::string> paths, std::function<void()> notify)
    : paths_(std::move(paths)), notify_(std::move(notify)), notifier_(Notifier::of_this_thread()) {
  watch_folders();
  reported_ = seen_ = stamps_of(paths_);
}

FileWatch::~FileWatch() { notifier_->remove(*this); }

void FileWatch::watch_folders() {
  polls_ = false;
  for (const auto& path : paths_) {
    const auto parent = std::filesystem::path(path).parent_path();
    if (!notifier_->add(parent.empty() ? "." : parent.string(), *this)) polls_ = true;
  }
  if (polls_) wait(kPoll);
}

void FileWatch::on_folder_changed() {
  auto now = stamps_of(paths_);
  // Changes of other files in the folder do not delay us.
  if (set() && !polls_ && now == seen_) return;
  seen_ = std::move(now);
  drop();
  wait(kIdle);
}

// It was removed, or its file system was; another may replace it.
void FileWatch::on_folder_lost() {
  if (polls_) return;
  polls_ = true;
  if (!set()) wait(kPoll);
}

void FileWatch::on_deadline() {
  if (polls_) watch_folders();
  auto now = stamps_of(paths_);
  if (now != seen_) {
    // A program is still writing.
    seen_ = std::move(now);
    drop();
    wait(kIdle);
  } else if (now != reported_) {
    reported_ = std::move(now);
    notify_();
  }
}

void FileWatch::wait(Clock::duration span) { here().timers().set(*this, here().now() + span); }

}  // namespace patchbay::net
