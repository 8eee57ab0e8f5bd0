// A FileWatch notifies when one of some files has changed and then stayed unchanged for a moment.
// It watches their folders, since editors and deployment tools replace files instead of writing
// into them.
//
// All watches of a thread share one inotify instance, of which a user has few. A folder that the
// kernel cannot watch is polled, which is logged.
//
// Confined to the thread that made it.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "async/timers.h"
#include "core/file_stamp.h"

namespace patchbay::net {

class FileWatch final : Timer {
 public:
  // Calls `notify` after each change. Changes after the constructor are not missed.
  FileWatch(std::vector<std::string> paths, std::function<void()> notify);
  ~FileWatch() override;

 private:
  class Notifier;

  void watch_folders();
  void on_folder_changed();
  void on_folder_lost();
  void on_deadline() override;
  void wait(Clock::duration span);

  const std::vector<std::string> paths_;
  const std::function<void()> notify_;
  const std::shared_ptr<Notifier> notifier_;
  std::vector<FileStamp> reported_;  // The state of the files when `notify` was last called.
  std::vector<FileStamp> seen_;      // Their state at the last check.
  bool polls_ = false;
};

}  // namespace patchbay::net
