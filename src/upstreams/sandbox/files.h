// SandboxFiles reads and writes files of one sandbox: from outside if its folder can be accessed,
// on threads that may wait; otherwise through its agent.
//
// Confined to the worker of the guest, for the duration of one call.
#pragma once

#include <vector>

#include "upstreams/sandbox/engine.h"
#include "upstreams/sandbox/tools.h"

namespace patchbay::upstreams {

class SandboxFiles {
 public:
  // REQUIRES: objects that are referred to outlive it.
  SandboxFiles(Guest& guest, ThreadPool& threads, const SandboxSettings& settings,
               Deadline deadline)
      : guest_(guest), threads_(threads), settings_(settings), deadline_(deadline) {}

  Task<sandbox::FilePiece> read(const FileRequest& request);
  Task<void> write(const FileRequest& request);
  Task<std::vector<sandbox::FileEntry>> list(const FileRequest& request);

 private:
  Task<sandbox::FilePiece> read_by_agent(const FileRequest& request);
  Task<void> write_by_agent(const FileRequest& request);
  Task<std::vector<sandbox::FileEntry>> list_by_agent(const FileRequest& request);

  Guest& guest_;
  ThreadPool& threads_;
  const SandboxSettings& settings_;
  const Deadline deadline_;
};

}  // namespace patchbay::upstreams
