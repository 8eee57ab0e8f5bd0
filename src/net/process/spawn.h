// start_program() makes a process and its program in one step, as vfork does: the child borrows our
// memory until its program starts, so that the cost does not grow with our size. The process leads
// its own group and dies with the thread that started it.
//
// Callable on any thread.
#pragma once

#include <sys/types.h>

#include <array>

#include "net/io/fd.h"
#include "net/process/user.h"

namespace patchbay::net {

struct NewProgram {
  const char* path = nullptr;
  char* const* argv = nullptr;
  char* const* envp = nullptr;
  const char* cwd = "";  // Empty: our own.
  // Become descriptors 0, 1, 2 and 3; -1: none. All others are closed.
  std::array<int, 4> descriptors{-1, -1, -1, -1};
  // The user it runs as; null: ours. Such a program gains no rights by what it runs.
  const User* user = nullptr;
};

struct Started {
  pid_t pid = 0;
  Fd pidfd;
  int fault = 0;              // The errno of what failed; 0: the program runs.
  const char* what = "exec";  // What failed.
};

Started start_program(const NewProgram& program);

}  // namespace patchbay::net
