// A Node is one value of a configuration file with its line, whether the file was YAML or JSON. A
// Fault is one error in the file, with its location. Values only; usable from any thread.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace patchbay::config {

struct Member;

enum class Kind : std::uint8_t { null, scalar, list, map };

struct Node {
  using Kind = config::Kind;

  Kind kind = Kind::null;
  std::string text;             // Of a scalar.
  bool quoted = false;          // Written with quotes: a string, even if it looks like a number.
  bool interpolated = false;    // Contains a value of ${…}: may be secret, so no fault repeats it.
  std::vector<Node> items;      // Of a list.
  std::vector<Member> members;  // Of a map, in the order of the file.
  int line = 0;                 // From 1; 0 if the node is from no file.
  std::string alias = {};       // The old key it was given under; empty: the current one.

  // The value of member `key`; null if there is none or this is not a map.
  const Node* find(std::string_view key) const;
  Node* find(std::string_view key);
};

struct Member {
  std::string key;
  int line = 0;
  Node value;
};

struct Fault {
  std::string file;
  int line = 0;      // 0 if the fault is not about one line.
  std::string path;  // Dotted, `upstreams.calc.args[0]`; empty for the file as a whole.
  std::string message;
};
using Faults = std::vector<Fault>;

// `file:line: path: message`, without the parts that are empty.
std::string to_string(const Fault& fault);

// Sorts faults in the order of the files and lines.
void sort_by_line(Faults& faults);

// The path of a member or an element of the value at `path`.
std::string member_path(std::string_view path, std::string_view key);
std::string element_path(std::string_view path, std::size_t index);

}  // namespace patchbay::config
