// What is mounted where, from the text of /proc/self/mountinfo. Pure; usable from any thread.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace patchbay::sandbox {

struct Mount {
  std::string device;                // "8:1"; "0:26" where it has no block device, or several.
  std::string root;                  // Which folder of the file system is mounted...
  std::string point;                 // ...and where.
  std::string type;                  // "ext4", "cgroup2"
  std::string source;                // As named by the mount call: "/dev/sda1", "tmpfs".
  std::vector<std::string> options;  // Of the file system.
};

// In the order of the text; malformed lines are left out.
std::vector<Mount> parse_mounts(std::string_view mountinfo);

// The parts of `text` between occurrences of `at`.
std::vector<std::string_view> split(std::string_view text, char at);

}  // namespace patchbay::sandbox
