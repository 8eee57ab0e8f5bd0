// A text that one thread changes and others read.
//
// Usable from any thread.
#pragma once

#include <mutex>
#include <string>

namespace patchbay::app {

class SharedText {
 public:
  void set(std::string text) {
    const std::lock_guard lock(mutex_);
    text_ = std::move(text);
  }

  std::string get() const {
    const std::lock_guard lock(mutex_);
    return text_;
  }

 private:
  mutable std::mutex mutex_;
  std::string text_;
};

}  // namespace patchbay::app
