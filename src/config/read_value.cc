#include "config/read_value.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <charconv>
#include <cmath>

namespace patchbay::config {
namespace {

constexpr std::size_t kMostExcerpt = 60;  // Characters of a value in a fault.

template <class Number>
std::errc parse(std::string_view text, Number& number) {
  if (text.starts_with('+')) text.remove_prefix(1);
  const char* const end = text.data() + text.size();
  const auto [stopped, fault] = std::from_chars(text.data(), end, number);
  if (fault != std::errc()) return fault;
  return stopped == end ? std::errc() : std::errc::invalid_argument;
}

bool is_truth(std::string_view text) {
  return text == "true" || text == "True" || text == "TRUE" || text == "false" || text == "False" ||
         text == "FALSE";
}

// The value itself, unless it came from outside the file: then it may be secret.
std::string excerpt(const Node& node) {
  if (node.interpolated) return "the inserted value";
  if (node.text.size() > kMostExcerpt) return "the value";
  return node.quoted || node.text.empty() ? fmt::format("\"{}\"", node.text) : node.text;
}

std::string kind_of(const Node& node) {
  switch (node.kind) {
    case Kind::null:
      return "nothing";
    case Kind::list:
      return "a list";
    case Kind::map:
      return "a map";
    case Kind::scalar:
      break;
  }
  double number = 0;
  if (node.quoted) return "a string";
  if (is_truth(node.text)) return node.text;
  return parse(node.text, number) == std::errc() ? "a number" : "a string";
}

bool expect_scalar(const Node& node, std::string_view expected, const Location& at) {
  if (node.kind == Kind::scalar) return true;
  at.fault(node.line, fmt::format("expected {}, not {}", expected, kind_of(node)));
  return false;
}

// A scalar without quotes; the fault names the quotes if only they are wrong.
bool expect_bare(const Node& node, std::string_view expected, const Location& at) {
  if (!expect_scalar(node, expected, at)) return false;
  if (!node.quoted) return true;
  at.fault(node.line, fmt::format("expected {}, not a string in quotes", expected));
  return false;
}

void unexpected(const Node& node, std::string_view expected, const Location& at) {
  at.fault(node.line, fmt::format("expected {}, not {}", expected, excerpt(node)));
}

template <class Value>
bool within(const Node& node, Value value, Value least, Value most, const Location& at,
            std::string (*text)(Value)) {
  if (value >= least && value <= most) return true;
  at.fault(node.line,
           fmt::format("{} is out of range {}..{}", excerpt(node), text(least), text(most)));
  return false;
}

bool holds(std::span<const std::string_view> names, std::string_view name) {
  return std::ranges::find(names, name) != names.end();
}

// The edit distance of two names; swapping two neighbours is one edit.
std::size_t distance(std::string_view from, std::string_view to) {
  std::vector<std::vector<std::size_t>> cost(from.size() + 1,
                                             std::vector<std::size_t>(to.size() + 1));
  for (std::size_t i = 0; i <= from.size(); ++i) {
    for (std::size_t j = 0; j <= to.size(); ++j) {
      if (i == 0 || j == 0) {
        cost[i][j] = i + j;
        continue;
      }
      const std::size_t change = from[i - 1] == to[j - 1] ? 0 : 1;
      cost[i][j] = std::min({cost[i - 1][j] + 1, cost[i][j - 1] + 1, cost[i - 1][j - 1] + change});
      if (i > 1 && j > 1 && from[i - 1] == to[j - 2] && from[i - 2] == to[j - 1]) {
        cost[i][j] = std::min(cost[i][j], cost[i - 2][j - 2] + 1);
      }
    }
  }
  return cost[from.size()][to.size()];
}

}  // namespace

void Location::fault(int line, std::string message) const {
  faults.push_back({file, line, path, std::move(message)});
}

std::optional<bool> as_boolean(const Node& node, const Location& at) {
  if (!expect_bare(node, "true or false", at)) return std::nullopt;
  if (is_truth(node.text)) return node.text[0] == 't' || node.text[0] == 'T';
  unexpected(node, "true or false", at);
  return std::nullopt;
}

std::optional<std::int64_t> as_integer(const Node& node, const Limits& limits, const Location& at) {
  if (!expect_bare(node, "a whole number", at)) return std::nullopt;
  std::int64_t value = 0;
  const std::errc fault = parse(node.text, value);
  if (fault == std::errc::result_out_of_range) {
    at.fault(node.line,
             fmt::format("{} is out of range {}..{}", excerpt(node), limits.least, limits.most));
    return std::nullopt;
  }
  if (fault != std::errc()) {
    unexpected(node, "a whole number", at);
    return std::nullopt;
  }
  const auto text = [](std::int64_t number) { return fmt::format("{}", number); };
  if (!within<std::int64_t>(node, value, limits.least, limits.most, at, text)) return std::nullopt;
  return value;
}

std::optional<double> as_number(const Node& node, const Limits& limits, const Location& at) {
  if (!expect_bare(node, "a number", at)) return std::nullopt;
  double value = 0;
  if (parse(node.text, value) != std::errc() || !std::isfinite(value)) {
    unexpected(node, "a number", at);
    return std::nullopt;
  }
  const auto text = [](double number) { return fmt::format("{}", number); };
  if (!within<double>(node, value, limits.least_number, limits.most_number, at, text)) {
    return std::nullopt;
  }
  return value;
}

std::optional<Duration> as_duration(const Node& node, const Limits& limits, const Location& at) {
  if (!expect_scalar(node, "a duration such as 30s", at)) return std::nullopt;
  const auto value = parse_duration(node.text);
  if (!value) {
    at.fault(node.line, fmt::format("{}, not {}", value.error().message, excerpt(node)));
    return std::nullopt;
  }
  if (!within<Duration>(node, *value, Duration(limits.least), Duration(limits.most), at, print)) {
    return std::nullopt;
  }
  return *value;
}

std::optional<Bytes> as_bytes(const Node& node, const Limits& limits, const Location& at) {
  if (!expect_scalar(node, "a size such as 16MiB", at)) return std::nullopt;
  const auto value = parse_bytes(node.text);
  if (!value) {
    at.fault(node.line, fmt::format("{}, not {}", value.error().message, excerpt(node)));
    return std::nullopt;
  }
  const Bytes least{static_cast<std::uint64_t>(std::max<std::int64_t>(limits.least, 0))};
  const Bytes most{static_cast<std::uint64_t>(limits.most)};
  if (!within<Bytes>(node, *value, least, most, at, print)) return std::nullopt;
  return *value;
}

std::optional<std::string> as_text(const Node& node, const Location& at) {
  if (!expect_scalar(node, "a string", at)) return std::nullopt;
  return node.text;
}

std::optional<std::size_t> as_choice(const Node& node, std::span<const std::string_view> names,
                                     const Location& at) {
  const std::string expected = fmt::format("one of {}", fmt::join(names, ", "));
  if (!expect_scalar(node, expected, at)) return std::nullopt;
  const auto found = std::ranges::find(names, std::string_view(node.text));
  if (found != names.end()) return static_cast<std::size_t>(found - names.begin());
  unexpected(node, expected, at);
  return std::nullopt;
}

bool expect_list(const Node& node, const Location& at) {
  if (node.kind == Kind::list) return true;
  at.fault(node.line, fmt::format("expected a list, not {}", kind_of(node)));
  return false;
}

bool expect_map(const Node& node, const Location& at) {
  if (node.kind == Kind::map || node.kind == Kind::null) return true;
  at.fault(node.line, fmt::format("expected a map of keys and values, not {}", kind_of(node)));
  return false;
}

namespace {

// The current name of the key that `misspelt` is probably a misspelling of.
std::string_view closest_name(std::string_view misspelt, std::span<const std::string_view> names,
                              std::span<const KeyNames> known) {
  if (const std::string_view meant = closest(misspelt, names); !meant.empty()) return meant;
  std::vector<std::string_view> aliases;
  for (const KeyNames& key : known) aliases.push_back(key.alias);
  const std::string_view meant = closest(misspelt, aliases);
  if (meant.empty()) return {};
  return std::ranges::find(known, meant, &KeyNames::alias)->name;
}

}  // namespace

void refuse_unknown(const Node& map, std::span<const KeyNames> known,
                    std::span<const std::string_view> ignored, const Location& at) {
  std::vector<std::string_view> names;
  for (const KeyNames& key : known) names.push_back(key.name);
  for (const Member& member : map.members) {
    const std::string_view key = member.key;
    if (holds(names, key) || holds(ignored, key)) continue;
    std::string message = "unknown key";
    if (const std::string_view meant = closest_name(key, names, known); !meant.empty()) {
      message += fmt::format("; did you mean \"{}\"?", meant);
    } else if (!names.empty()) {
      message += fmt::format("; known are {}", fmt::join(names, ", "));
    }
    at.member(key).fault(member.line, std::move(message));
  }
}

void rename_member(Node& map, const KeyNames& key, const Location& at, Faults& notes) {
  if (key.alias.empty()) return;
  const auto old = std::ranges::find(map.members, key.alias, &Member::key);
  if (old == map.members.end()) return;
  const auto current = std::ranges::find(map.members, key.name, &Member::key);
  if (current != map.members.end()) {
    at.member(key.alias).fault(
        old->line, fmt::format("is the old name of {}, which line {} gives too; remove one",
                               member_path(at.path, key.name), current->line));
    map.members.erase(old);
    return;
  }
  notes.push_back({at.file, old->line, "",
                   fmt::format("{} is now called {}", member_path(at.path, key.alias),
                               member_path(at.path, key.name))});
  old->key = key.name;
  old->value.alias = key.alias;
}

std::string_view closest(std::string_view misspelt, std::span<const std::string_view> names) {
  constexpr std::size_t kLongest =
      64;  // Longer names are not misspelt keys, and the table would get large.
  if (misspelt.size() > kLongest) return {};
  std::string_view best;
  // A third of the characters may be wrong, but at most two and not all of a short name.
  std::size_t allowed = std::min<std::size_t>(misspelt.size() / 3, 2) + 1;
  if (misspelt.size() < 3) allowed = misspelt.size();
  for (const std::string_view name : names) {
    const std::size_t edits = name.size() > kLongest ? kLongest : distance(misspelt, name);
    if (edits < allowed) {
      best = name;
      allowed = edits;
    }
  }
  return best;
}

}  // namespace patchbay::config
