#include "sandbox/mounts.h"

#include <optional>

namespace patchbay::sandbox {
namespace {

bool is_octal(char c) { return c >= '0' && c <= '7'; }

// The kernel writes blanks, tabs, line ends and backslashes as three octal digits.
std::string unescaped(std::string_view text) {
  std::string plain;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const bool escaped = text[i] == '\\' && i + 3 < text.size() && is_octal(text[i + 1]) &&
                         is_octal(text[i + 2]) && is_octal(text[i + 3]);
    if (!escaped) {
      plain += text[i];
      continue;
    }
    plain +=
        static_cast<char>((text[i + 1] - '0') * 64 + (text[i + 2] - '0') * 8 + text[i + 3] - '0');
    i += 3;
  }
  return plain;
}

// `36 35 0:30 /root /point rw,… shared:1 - cgroup cgroup rw,memory`
std::optional<Mount> mount_of(std::string_view line) {
  const auto dash = line.find(" - ");
  if (dash == std::string_view::npos) return {};
  const auto before = split(line.substr(0, dash), ' ');
  const auto after = split(line.substr(dash + 3), ' ');
  if (before.size() < 5 || after.size() < 3) return {};
  Mount mount{std::string(before[2]), unescaped(before[3]), unescaped(before[4]),
              std::string(after[0]),  unescaped(after[1]),  {}};
  for (const auto option : split(after[2], ',')) mount.options.emplace_back(option);
  return mount;
}

}  // namespace

std::vector<std::string_view> split(std::string_view text, char at) {
  std::vector<std::string_view> parts;
  while (!text.empty()) {
    const auto end = text.find(at);
    parts.push_back(text.substr(0, end));
    if (end == std::string_view::npos) break;
    text.remove_prefix(end + 1);
  }
  return parts;
}

std::vector<Mount> parse_mounts(std::string_view mountinfo) {
  std::vector<Mount> all;
  for (const auto line : split(mountinfo, '\n')) {
    if (auto mount = mount_of(line)) all.push_back(*std::move(mount));
  }
  return all;
}

}  // namespace patchbay::sandbox
