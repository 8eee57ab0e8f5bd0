#include "config/node.h"

#include <fmt/format.h>

#include <algorithm>
#include <tuple>
#include <utility>

namespace patchbay::config {

const Node* Node::find(std::string_view key) const {
  const auto found = std::ranges::find(members, key, &Member::key);
  return found == members.end() ? nullptr : &found->value;
}

Node* Node::find(std::string_view key) { return const_cast<Node*>(std::as_const(*this).find(key)); }

std::string to_string(const Fault& fault) {
  std::string out = fault.file;
  if (fault.line > 0) out += fmt::format(":{}", fault.line);
  if (!out.empty()) out += ": ";
  if (!fault.path.empty()) out += fault.path + ": ";
  return out + fault.message;
}

void sort_by_line(Faults& faults) {
  std::ranges::sort(faults, {}, [](const Fault& fault) {
    return std::tuple<std::string_view, int, std::string_view, std::string_view>(
        fault.file, fault.line, fault.path, fault.message);
  });
}

std::string member_path(std::string_view path, std::string_view key) {
  return path.empty() ? std::string(key) : fmt::format("{}.{}", path, key);
}

std::string element_path(std::string_view path, std::size_t index) {
  return fmt::format("{}[{}]", path, index);
}

}  // namespace patchbay::config
