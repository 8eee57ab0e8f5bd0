// A FileWatch tells when a file may have changed. It watches the folder, since editors and
// deployment tools replace files instead of writing into them.
//
// Confined to the thread that made it.
#pragma once

#include <functional>
#include <optional>
#include <string>

#include "net/source.h"

namespace patchbay::net {

class FileWatch final : Source::Waiter, Timer {
 public:
  // Calls `tell` a moment after the last of a row of changes in the file's folder. Watches nothing
  // if the folder cannot be watched.
  FileWatch(const std::string& path, std::function<void()> tell);
  ~FileWatch() override;

 private:
  void on_ready() override;
  void on_deadline() override { tell_(); }

  std::optional<Source> source_;
  std::function<void()> tell_;
};

}  // namespace patchbay::net
