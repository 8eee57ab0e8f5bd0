// A Spec describes what is run in a sandbox, and what it may access and use. The gateway writes it,
// and the process that becomes the sandbox reads it.
//
// Values only.
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/result.h"
#include "sandbox/cgroup.h"
#include "sandbox/limits.h"

namespace patchbay::sandbox {

// The path of a sandbox's files, and the working directory of its programs.
inline constexpr std::string_view kWorkspace = "/workspace";

// A file or folder of the machine that is visible inside.
struct Share {
  std::string from;
  std::string to;  // Absolute.
  bool write = false;
};

struct Spec {
  std::vector<std::string> args;  // The program, as it is found inside, and its arguments.
  std::vector<std::pair<std::string, std::string>> environment;
  std::string folder{kWorkspace};  // Its working directory.
  std::vector<Share> shares;
  std::string root;  // The folder whose /usr, /bin, /etc… are visible; empty: the machine's own.
  bool network = false;           // The machine's network; else only a private loopback.
  int relay = 0;                  // Concurrent connections of the relay inside; 0: there is none.
  config::Duration half_open{0};  // How long it keeps a half-open connection.
  std::uint32_t user = 0;         // The user outside; 0: unchanged. Only root can set it.
  std::string bwrap = "/usr/bin/bwrap";
  Limits limits;
  bool same_stdio = false;          // Its stdin, stdout and stderr are ours.
  std::vector<CgroupPath> cgroups;  // Where its cgroup is made...
  std::string cgroup = {};          // ...and its name.
};

std::string to_json(const Spec& spec);
Result<Spec> spec_from(std::string_view json);

// The strings of the list `name` in an object; none if there is no list.
std::vector<std::string> texts_in(std::string_view object, std::string_view name);

}  // namespace patchbay::sandbox
