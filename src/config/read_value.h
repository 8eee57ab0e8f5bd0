// The part of reading that needs no templates: one value of a Node as one kind of setting, with a
// fault for each kind of error. Values only; usable from any thread.
#pragma once

#include <limits>
#include <optional>
#include <span>

#include "config/node.h"
#include "config/units.h"

namespace patchbay::config {

// The bounds of a number, both included; durations in milliseconds, sizes in bytes.
struct Limits {
  std::int64_t least = std::numeric_limits<std::int64_t>::min();
  std::int64_t most = std::numeric_limits<std::int64_t>::max();
  double least_number = std::numeric_limits<double>::lowest();
  double most_number = std::numeric_limits<double>::max();
  bool stated = false;  // By a Range, not only by the type.
};

// The location of a value, and where its faults are collected.
struct Location {
  const std::string& file;
  std::string path;
  Faults& faults;

  void fault(int line, std::string message) const;
  Location member(std::string_view key) const { return {file, member_path(path, key), faults}; }
  Location element(std::size_t index) const { return {file, element_path(path, index), faults}; }
};

// Each yields nothing, and adds a fault, if `node` is not such a value. REQUIRES: not null.
std::optional<bool> as_boolean(const Node& node, const Location& at);
std::optional<std::int64_t> as_integer(const Node& node, const Limits& limits, const Location& at);
std::optional<double> as_number(const Node& node, const Limits& limits, const Location& at);
std::optional<Duration> as_duration(const Node& node, const Limits& limits, const Location& at);
std::optional<Bytes> as_bytes(const Node& node, const Limits& limits, const Location& at);
std::optional<std::string> as_text(const Node& node, const Location& at);

// The index of the choice.
std::optional<std::size_t> as_choice(const Node& node, std::span<const std::string_view> names,
                                     const Location& at);

// False, with a fault, if `node` is something else. A null map counts as an empty one.
bool expect_list(const Node& node, const Location& at);
bool expect_map(const Node& node, const Location& at);

// A current key and the one it replaces; `alias` is empty if there is none.
struct KeyNames {
  std::string_view name;
  std::string_view alias;
};

// A fault for each member of the map that is in neither list, with the closest of `known`.
void refuse_unknown(const Node& map, std::span<const KeyNames> known,
                    std::span<const std::string_view> ignored, const Location& at);

// Renames the member with the old key, if the map has one, and adds what it is now called to
// `notes`. A fault if the map has the current key too.
void rename_member(Node& map, const KeyNames& key, const Location& at, Faults& notes);

// The one of `names` that `misspelt` is probably a misspelling of; empty if there is none.
std::string_view closest(std::string_view misspelt, std::span<const std::string_view> names);

}  // namespace patchbay::config
