// A FileWatch tells when one of some files may have changed. It watches their folders, since
// editors and deployment tools replace files instead of writing into them.
//
// Confined to the thread that made it.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "net/source.h"

namespace patchbay::net {

class FileWatch final : Source::Waiter, Timer {
 public:
  // Calls `tell` a moment after the last of a row of changes in the folders of the files. A folder
  // that cannot be watched is not.
  FileWatch(const std::vector<std::string>& paths, std::function<void()> tell);
  ~FileWatch() override;

 private:
  void on_ready() override;
  void on_deadline() override { tell_(); }

  std::optional<Source> source_;
  std::function<void()> tell_;
};

}  // namespace patchbay::net
