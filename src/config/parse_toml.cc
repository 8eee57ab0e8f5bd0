// TOML to Nodes, by toml++. It nests tables as deep as a key has dots, and destroys them by
// recursion, so keys with many dots are refused before it reads them.
#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>

#include "config/parse.h"
#include "config/syntax_hint.h"

// It asserts what it reports as an error a moment later, such as "[{".
#undef NDEBUG
#define TOML_ASSERT(condition) static_cast<void>(0)
#define TOML_EXCEPTIONS 0
#define TOML_ENABLE_FORMATTERS 0
#define TOML_MAX_NESTED_VALUES 64
#include <toml++/toml.h>

namespace patchbay::config {
namespace {

constexpr std::size_t kMaxDots = 32;

// The length of the string at the front of `text`, its quotes included.
std::size_t string_length(std::string_view text) {
  const char quote = text.front();
  const std::string fence(3, quote);
  const bool lines = text.starts_with(fence);
  const std::string_view end = lines ? std::string_view(fence) : text.substr(0, 1);
  for (std::size_t i = end.size(); i < text.size(); ++i) {
    if (quote == '"' && text[i] == '\\') {
      ++i;
    } else if (text.substr(i).starts_with(end)) {
      return i + end.size();
    } else if (!lines && text[i] == '\n') {
      return i;  // Not closed: an error that the parser reports.
    }
  }
  return text.size();
}

// The first line with more than kMaxDots dots outside strings and comments; 0: there is none.
int overlong_key(std::string_view text) {
  int line = 1;
  std::size_t dots = 0;
  for (std::size_t i = 0; i < text.size();) {
    std::size_t length = 1;
    if (text[i] == '"' || text[i] == '\'') {
      length = string_length(text.substr(i));
      line += static_cast<int>(std::ranges::count(text.substr(i, length), '\n'));
    } else if (text[i] == '#') {
      length = std::min(text.find('\n', i), text.size()) - i;
    } else if (text[i] == '\n') {
      dots = 0;
      ++line;
    } else if (text[i] == '.' && ++dots > kMaxDots) {
      return line;
    }
    i += length;
  }
  return 0;
}

class TomlBuilder {
 public:
  TomlBuilder(const std::string& name, Faults& faults) : name_(name), faults_(faults) {}

  Node build(const toml::node& value, int depth) {
    Node node;
    node.line = static_cast<int>(value.source().begin.line);
    if (full_) return node;
    if (++count_ > kMaxNodes) return refuse(node, fmt::format("more than {} values", kMaxNodes));
    if (depth > kMaxNesting) return refuse(node, fmt::format("more than {} levels", kMaxNesting));
    if (const auto* const table = value.as_table()) {
      members(node, *table, depth);
    } else if (const auto* const array = value.as_array()) {
      node.kind = Kind::list;
      for (const auto& item : *array) node.items.push_back(build(item, depth + 1));
    } else {
      scalar(node, value);
    }
    return node;
  }

 private:
  void members(Node& node, const toml::table& table, int depth) {
    node.kind = Kind::map;
    std::vector<std::pair<toml::source_position, Member>> found;
    for (const auto& [key, value] : table) {
      Node member = build(value, depth + 1);
      const int line = static_cast<int>(key.source().begin.line);
      if (member.line == 0) member.line = line;
      found.push_back({key.source().begin, {std::string(key.str()), line, std::move(member)}});
    }
    std::ranges::sort(found, [](const auto& a, const auto& b) { return a.first < b.first; });
    for (auto& [at, member] : found) node.members.push_back(std::move(member));
  }

  static void scalar(Node& node, const toml::node& value) {
    node.kind = Kind::scalar;
    if (const auto* const text = value.as_string()) {
      node.quoted = true;
      node.text = text->get();
    } else if (const auto* const whole = value.as_integer()) {
      node.text = fmt::format("{}", whole->get());
    } else if (const auto* const number = value.as_floating_point()) {
      node.text = fmt::format("{}", number->get());
    } else if (const auto* const flag = value.as_boolean()) {
      node.text = flag->get() ? "true" : "false";
    } else {
      date(node, value);
    }
  }

  // As a text: no setting of ours is a date, but the variable of a program may be one.
  static void date(Node& node, const toml::node& value) {
    const auto day = [](const toml::date& one) {
      return fmt::format("{:04}-{:02}-{:02}", one.year, one.month, one.day);
    };
    const auto time = [](const toml::time& one) {
      return fmt::format("{:02}:{:02}:{:02}", one.hour, one.minute, one.second);
    };
    if (const auto* const date = value.as_date()) {
      node.text = day(date->get());
    } else if (const auto* const clock = value.as_time()) {
      node.text = time(clock->get());
    } else if (const auto* const both = value.as_date_time()) {
      const toml::date_time& when = both->get();
      node.text = day(when.date) + 'T' + time(when.time);
      if (when.offset && when.offset->minutes == 0) node.text += 'Z';
      if (when.offset && when.offset->minutes != 0) {
        const int minutes = std::abs(when.offset->minutes);
        node.text += fmt::format("{}{:02}:{:02}", when.offset->minutes < 0 ? '-' : '+',
                                 minutes / 60, minutes % 60);
      }
    }
  }

  Node refuse(Node& node, const std::string& what) {
    full_ = true;
    faults_.push_back({name_, node.line, "", "has " + what});
    return std::move(node);
  }

  const std::string& name_;
  Faults& faults_;
  std::size_t count_ = 0;
  bool full_ = false;
};

}  // namespace

Node parse_toml(std::string_view text, const std::string& name, Faults& faults) {
  if (const int line = overlong_key(text); line > 0) {
    faults.push_back({name, line, "", fmt::format("has more than {} dots", kMaxDots)});
    return {};
  }
  const toml::parse_result parsed = toml::parse(text);
  if (!parsed) {
    const auto& error = parsed.error();
    const auto& at = error.source().begin;
    const auto hint = toml_hint(error.description());
    faults.push_back({name, static_cast<int>(at.line), "",
                      fmt::format("invalid TOML: {} (column {}{}{})", error.description(),
                                  at.column, hint.empty() ? "" : "; ", hint)});
    return {};
  }
  Node root = TomlBuilder(name, faults).build(parsed.table(), 0);
  root.line = 1;
  return root;
}

}  // namespace patchbay::config
