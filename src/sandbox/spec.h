// A Spec says what is run in a sandbox and what that may see and use. The gateway writes it, the
// process that becomes the sandbox reads it.
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

// Where a sandbox keeps its files, and where its programs begin.
inline constexpr std::string_view kWorkspace = "/workspace";

// A file or folder of the machine that is seen inside.
struct Share {
  std::string from;
  std::string to;  // Absolute.
  bool write = false;
};

struct Spec {
  std::vector<std::string> words;  // The program, as it is found inside, and its arguments.
  std::vector<std::pair<std::string, std::string>> environment;
  std::string folder{kWorkspace};  // Where it begins.
  std::vector<Share> shares;
  std::string root;      // The folder whose /usr, /bin, /etc… are seen; empty: the machine's own.
  bool network = false;  // The machine's network; else none but a loopback of its own.
  int relay = 0;         // Connections at once that the relay inside passes on; 0: there is none.
  config::Duration half_open{0};  // How long it keeps one of which one side has ended.
  std::uint32_t user = 0;         // Who it is outside; 0: nobody else. Only root can say so.
  std::string bwrap = "/usr/bin/bwrap";
  Limits limits;
  bool same_stdio = false;          // Its stdin, stdout and stderr are ours.
  std::vector<CgroupPath> cgroups;  // Where its cgroup is made...
  std::string cgroup = {};          // ...and what it is called.
};

std::string to_json(const Spec& spec);
Result<Spec> spec_from(std::string_view json);

}  // namespace patchbay::sandbox
