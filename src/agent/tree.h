// A Tree is the part of the file system that file requests may access: all of it, or what is
// beneath one folder. No link and no `..` leads out, also while folders are being moved.
//
// Never changed once open; usable from any thread.
#pragma once

#include <string>

#include "core/result.h"
#include "net/io/fd.h"

namespace patchbay::agent {

class Tree {
 public:
  // Everything; relative paths begin where the agent runs.
  Tree() = default;

  // Everything beneath `folder`. Paths are the same as for commands: absolute ones must lead into
  // it, relative ones start there.
  static Result<Tree> beneath(const std::string& folder);

  const std::string& root() const { return root_; }

  // Like open(2); an empty descriptor, and errno, if that fails.
  net::Fd open(const std::string& path, int flags, unsigned mode = 0) const;

  // The folder that contains a name, for system calls that work on names. The name is empty if the
  // path has none (`/`, `..`).
  struct Entry {
    net::Fd folder;  // Empty, and errno, if it cannot be opened.
    std::string name;
  };
  Entry entry_of(const std::string& path) const;

  // Makes the missing folders above `path`. False, and errno, if that fails.
  bool make_parents(const std::string& path) const;

 private:
  std::string root_;  // Without a link in it; empty: everything.
  net::Fd folder_;
};

}  // namespace patchbay::agent
