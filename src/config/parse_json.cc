// JSON to Nodes. The Cursor has no lines, but its slices point into the text: the line is found
// from the start of a slice.
#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <iterator>

#include "config/parse.h"
#include "config/relaxed_json.h"
#include "config/syntax_hint.h"
#include "json/read.h"

namespace patchbay::config {
namespace {

class Lines {
 public:
  explicit Lines(std::string_view text) : text_(text) {
    for (std::size_t i = text.find('\n'); i != std::string_view::npos; i = text.find('\n', i + 1)) {
      breaks_.push_back(i);
    }
  }
  int at(std::size_t offset) const {
    return static_cast<int>(std::ranges::lower_bound(breaks_, offset) - breaks_.begin()) + 1;
  }
  bool holds(std::string_view slice) const {
    return slice.data() >= text_.data() && slice.data() <= text_.data() + text_.size();
  }
  // From 1.
  std::size_t column(std::size_t offset) const {
    const auto next = std::ranges::lower_bound(breaks_, offset);
    return next == breaks_.begin() ? offset + 1 : offset - *std::prev(next);
  }
  // REQUIRES: holds(slice).
  int of(std::string_view slice) const {
    return at(static_cast<std::size_t>(slice.data() - text_.data()));
  }

 private:
  const std::string_view text_;
  std::vector<std::size_t> breaks_;
};

class JsonBuilder {
 public:
  JsonBuilder(const Lines& lines, const std::string& name, Faults& faults)
      : lines_(lines), name_(name), faults_(faults) {}

  // REQUIRES: a Cursor has validated `raw`.
  Node build(std::string_view raw) {
    Node node;
    node.line = lines_.of(raw);
    if (++count_ > kMaxNodes) return node;
    switch (json::type_of(raw)) {
      case json::Type::object:
        members(node, raw);
        break;
      case json::Type::array:
        items(node, raw);
        break;
      case json::Type::string:
        string(node, raw);
        break;
      case json::Type::number:
      case json::Type::boolean:
        node.kind = Kind::scalar;
        node.text = raw;
        break;
      case json::Type::none:
      case json::Type::null:
        break;
    }
    return node;
  }

  bool too_many() const { return count_ > kMaxNodes; }

 private:
  void members(Node& node, std::string_view raw) {
    node.kind = Kind::map;
    json::each_member(raw, [&](std::string_view key, std::string_view value) {
      // A key with escapes is a decoded copy, so it has no position.
      const int line = lines_.of(lines_.holds(key) ? key : value);
      node.members.push_back({std::string(key), line, build(value)});
    });
  }

  void items(Node& node, std::string_view raw) {
    node.kind = Kind::list;
    json::each_element(raw, [&](std::string_view value) { node.items.push_back(build(value)); });
  }

  void string(Node& node, std::string_view raw) {
    node.kind = Kind::scalar;
    node.quoted = true;
    auto text = json::unquote(raw);
    if (text) {
      node.text = *std::move(text);
    } else {
      faults_.push_back({name_, node.line, "", text.error().message});
    }
  }

  const Lines& lines_;
  const std::string& name_;
  Faults& faults_;
  std::size_t count_ = 0;
};

// The Cursor reports a byte offset; people need a line, a column and the likely cause.
Fault fault_of(const Error& error, std::string_view text, const Lines& lines,
               const std::string& name) {
  constexpr std::string_view kPrefix = "invalid JSON at byte ";
  std::string_view message = error.message;
  std::size_t offset = 0;
  if (!message.starts_with(kPrefix)) return {name, 0, "", error.message};
  message.remove_prefix(kPrefix.size());
  std::from_chars(message.data(), message.data() + message.size(), offset);
  const std::size_t colon = message.find(": ");
  if (colon != std::string_view::npos) message.remove_prefix(colon + 2);
  const std::string_view hint = json_hint(text, offset);
  return {name, lines.at(offset), "",
          fmt::format("invalid JSON: {} (column {}{}{})", message, lines.column(offset),
                      hint.empty() ? "" : "; ", hint)};
}

}  // namespace

Node parse_json(std::string_view text, const std::string& name, Faults& faults) {
  std::string strict;
  if (!json::check(text)) {
    strict = strict_json(text);
    text = strict;
  }
  const Lines lines(text);
  if (const auto valid = json::check(text); !valid) {
    faults.push_back(fault_of(valid.error(), text, lines, name));
    return {};
  }
  JsonBuilder builder(lines, name, faults);
  // Without surrounding white space, so that the root begins at its first character.
  text.remove_prefix(std::min(text.find_first_not_of(" \t\r\n"), text.size()));
  Node root = builder.build(text);
  if (builder.too_many()) {
    faults.push_back({name, 0, "", fmt::format("has more than {} values", kMaxNodes)});
    return {};
  }
  return root;
}

}  // namespace patchbay::config
