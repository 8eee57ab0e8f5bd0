// A Successor is a new process of the same program that takes over our listening sockets. Both
// accept connections until this one stops accepting, so that no client is refused.
//
// It continues when this process ends: see Orphans::spare(). Confined to the control thread.
#pragma once

#include <sys/types.h>

#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "net/io/fd.h"
#include "net/io/source.h"

namespace patchbay::net {

struct HandedListener {
  std::string name;  // The key of the setting that it belongs to.
  int fd = -1;
};

class Successor {
 public:
  // Starts the program that the file of this process contains now, with the same arguments and
  // environment. Code::unavailable if it cannot be started.
  static Result<Successor> start(std::span<const HandedListener> listeners);

  // Waits until it is ready. Code::unavailable if it ends before that.
  Task<void> ready(Deadline deadline);

  pid_t pid() const { return pid_; }

  // Ends it: if it does not do so by itself, it is killed.
  Task<void> end();

 private:
  Successor(pid_t pid, Fd ready) : pid_(pid), ready_(std::make_unique<Source>(std::move(ready))) {}

  pid_t pid_;
  std::unique_ptr<Source> ready_;
};

// In the new process: notifies the one that started it, if any.
void notify_predecessor();

}  // namespace patchbay::net
