// What is mounted where, from the text of /proc/self/mountinfo. Pure; usable from any thread.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace patchbay::sandbox {

struct Mount {
  std::string device;  // "8:1"; "0:26" where no block device is behind it, or not only one.
  std::string root;    // Which folder of the file system it shows...
  std::string point;   // ...and where.
  std::string type;    // "ext4", "cgroup2"
  std::string source;  // As whoever mounted it has called it: "/dev/sda1", "tmpfs".
  std::vector<std::string> options;  // Of the file system.
};

// In the order of the text; what is no line of it is left out.
std::vector<Mount> parse_mounts(std::string_view mountinfo);

// The parts of `text` between occurrences of `at`.
std::vector<std::string_view> split(std::string_view text, char at);

}  // namespace patchbay::sandbox
