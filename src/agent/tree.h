// A Tree is the part of the file system that file requests may see: all of it, or what is beneath
// one folder. Beneath means beneath: no link and no `..` leads out, also while others move things.
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

  // What is beneath `folder`. Paths are those that commands use too: absolute ones must lead into
  // it, relative ones begin there.
  static Result<Tree> beneath(const std::string& folder);

  const std::string& root() const { return root_; }

  // Like open(2); an empty descriptor, and errno, if that fails.
  net::Fd open(const std::string& path, int flags, unsigned mode = 0) const;

  // The folder that a name is in, for the calls that work on names. The name is empty if the path
  // has none of its own (`/`, `..`).
  struct Place {
    net::Fd folder;  // Empty, and errno, if it cannot be opened.
    std::string name;
  };
  Place place_of(const std::string& path) const;

  // Makes the folders above `path` that are missing. False, and errno, if that fails.
  bool make_parents(const std::string& path) const;

 private:
  std::string root_;  // Without a link in it; empty: everything.
  net::Fd folder_;
};

}  // namespace patchbay::agent
