// A Confined program runs in its own sandbox: namespaces, a system call filter, limits. It is a
// Child with a workspace that can be accessed from outside.
//
// Confined to the worker that started it.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "net/process/child.h"
#include "sandbox/cgroup.h"
#include "sandbox/spec.h"

namespace patchbay::sandbox {

class Confined final : net::Source::Waiter {
 public:
  // Starts the program of `spec` and waits until it is about to run. Code::unavailable, with the
  // remedy, if this machine cannot isolate it as the spec requires.
  static Task<std::unique_ptr<Confined>> start(Spec spec, Deadline deadline);

  // Kills all remaining processes.
  ~Confined();

  net::Child& child() { return *child_; }

  // Its folder, for openat2. Taken once.
  net::Fd take_workspace() { return std::move(workspace_); }

  // The socket for its connections to the outside; empty unless its spec has a relay. Taken once.
  net::Fd take_egress() { return std::move(egress_); }

  // Its unique name, which is that of its cgroup.
  const std::string& name() const { return name_; }

  const Cgroup& cgroup() const { return cgroup_; }

  // The bounds of its limits that could not be set and were not required, by name.
  const std::vector<std::string>& absent() const { return absent_; }

  // Its total resource use; waits for its end.
  Task<Usage> last_usage();

  // Kills it at once, with everything in it, and waits until nothing is left.
  Task<void> end();

 private:
  Confined(std::unique_ptr<net::Child> child, net::Fd control, Cgroup cgroup, std::string name);

  void on_ready() override;
  void take(const std::string& message, net::Fd attached);
  Task<void> await_service();

  std::unique_ptr<net::Child> child_;
  net::Source control_;
  OneShot<void> started_;
  net::Fd workspace_;
  net::Fd egress_;
  Cgroup cgroup_;
  std::vector<std::string> absent_;
  const std::string name_;
  Usage last_usage_;
  bool watcher_gone_ = false;
  std::vector<OneShot<void>*> waiting_;  // For the watcher to exit.
};

}  // namespace patchbay::sandbox
