// A SandboxHost is an upstream that keeps sandboxes, for the people who look after them.
//
// Callable on any worker.
#pragma once

#include <chrono>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "async/task.h"

namespace patchbay::gateway {

// The last run of a program in a sandbox. The outputs are cut: they have their ends.
struct SandboxRun {
  std::string method = {};   // exec, exec_code
  std::string verdict = {};  // exit, signal, timeout, memory, pids, failed.
  std::int64_t exit_code = 0;
  std::string out = {};  // Valid UTF-8.
  std::string err = {};
  std::chrono::system_clock::time_point when = {};
};

struct SandboxLine {
  std::string id = {};
  std::string owner = {};  // The id of the caller that it belongs to.
  std::string isolation = {};
  bool warm = false;  // It was ready before it was requested.
  int uses = 0;       // Calls that use it now.
  std::chrono::system_clock::time_point created = {};
  std::chrono::system_clock::time_point expires = {};  // If it stays unused.
  // What it may use, and what it uses; 0: there is no such bound, or nothing measures it.
  std::uint64_t memory_limit = 0;
  std::uint64_t memory_now = 0;
  std::uint64_t memory_peak = 0;
  std::uint64_t cpu_limit_us = 0;
  std::uint64_t cpu_us = 0;
  std::uint64_t disk_limit = 0;
  int pids_limit = 0;
  std::uint64_t pids_refused = 0;   // Processes that could not be started.
  std::uint64_t out_of_memory = 0;  // Processes that were killed for lack of memory.
  bool has_run = false;
  SandboxRun last = {};
};

class SandboxHost {
 public:
  virtual ~SandboxHost() = default;

  // All sandboxes, or those of one owner.
  virtual Task<std::vector<SandboxLine>> sandboxes(std::string owner) = 0;

  // Ends a sandbox of that owner, or of any if it is empty, and yields its owner. Calls that use it
  // fail. Code::not_found if there is none.
  virtual Task<std::string> destroy_sandbox(std::string id, std::string owner) = 0;
};

}  // namespace patchbay::gateway
