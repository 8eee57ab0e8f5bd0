#include "config/edit_json.h"

#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include "config/make_node.h"
#include "config/parse.h"
#include "config/text_form.h"
#include "json/text.h"

namespace patchbay::config {
namespace {

constexpr std::size_t kNone = std::string_view::npos;

struct JsonMember {
  std::string key;
  std::size_t begin = 0;      // Of the key, quote included.
  std::size_t value = 0;      // Begin of the value.
  std::size_t end = 0;        // Of the value.
  std::size_t comma = kNone;  // After it.
};

struct JsonObject {
  std::size_t open = 0;
  std::size_t close = 0;
  std::vector<JsonMember> members;
};

// Walks over JSON with comments. It accepts more than JSON: what it must find are the borders.
class Scanner {
 public:
  explicit Scanner(std::string_view text) : text_(text) {}

  // The object that begins at or after `at`.
  Result<JsonObject> object(std::size_t at) {
    at_ = at;
    skip_blank();
    JsonObject found{at_, 0, {}};
    if (!take('{')) return fault("expected an object");
    for (;;) {
      skip_blank();
      found.close = at_;
      if (take('}')) return found;
      JsonMember member;
      member.begin = at_;
      if (peek() != '"' || !skip_value(0)) return fault("expected a key in quotes");
      member.key = json::unquote_leniently(text_.substr(member.begin, at_ - member.begin));
      skip_blank();
      if (!take(':')) return fault("expected ':'");
      skip_blank();
      member.value = at_;
      if (!skip_value(0)) return fault("expected a value");
      member.end = at_;
      skip_blank();
      const std::size_t comma = at_;
      const bool more = take(',');
      if (more) member.comma = comma;
      found.members.push_back(std::move(member));
      if (!more && peek() != '}') return fault("expected ',' or '}'");
    }
  }

  // Whether nothing but white space and comments follows `at`.
  bool ends_at(std::size_t at) {
    at_ = at;
    skip_blank();
    return at_ == text_.size();
  }

 private:
  char peek() const { return at_ < text_.size() ? text_[at_] : '\0'; }
  bool take(char c) {
    if (peek() != c || at_ >= text_.size()) return false;
    ++at_;
    return true;
  }

  void skip_blank() {
    for (;;) {
      at_ = std::min(text_.find_first_not_of(" \t\r\n", at_), text_.size());
      if (text_.substr(at_).starts_with("//")) {
        at_ = std::min(text_.find('\n', at_), text_.size());
      } else if (text_.substr(at_).starts_with("/*")) {
        const std::size_t end = text_.find("*/", at_ + 2);
        at_ = end == kNone ? text_.size() : end + 2;
      } else {
        return;
      }
    }
  }

  bool skip_string() {
    for (++at_; at_ < text_.size(); ++at_) {
      if (text_[at_] == '\\') {
        ++at_;
      } else if (text_[at_] == '"') {
        ++at_;
        return true;
      }
    }
    return false;
  }

  bool skip_value(int depth) {
    const char first = peek();
    if (first == '"') return skip_string();
    if (first != '{' && first != '[') {
      const std::size_t begin = at_;
      at_ = std::min(text_.find_first_of(" \t\r\n,]}/", at_), text_.size());
      return at_ > begin;
    }
    if (depth >= kMaxNesting) return false;
    const char last = first == '{' ? '}' : ']';
    ++at_;
    for (;;) {
      skip_blank();
      if (take(last)) return true;
      if (take(',') || take(':')) continue;
      if (!skip_value(depth + 1)) return false;
    }
  }

  Error fault(std::string_view what) const {
    const auto before = text_.substr(0, std::min(at_, text_.size()));
    const std::size_t line_begin = before.rfind('\n') + 1;  // 0 on the first line.
    return {Code::invalid_request,
            fmt::format("line {}, column {}: {}", std::ranges::count(before, '\n') + 1,
                        before.size() - line_begin + 1, what)};
  }

  const std::string_view text_;
  std::size_t at_ = 0;
};

bool is_flat(const Node& node) {
  return std::ranges::all_of(node.items, [](const Node& item) {
    return item.kind == Kind::scalar || item.kind == Kind::null;
  });
}

void append_pretty(std::string& out, const Node& node, const std::string& indent,
                   std::string_view unit) {
  if (node.kind == Kind::null) {
    out += "null";
  } else if (node.kind == Kind::scalar) {
    out += node.quoted ? json::quote(node.text) : node.text;
  } else if (node.kind == Kind::list && is_flat(node)) {
    out += '[';
    for (const Node& item : node.items) {
      if (&item != node.items.data()) out += ", ";
      append_pretty(out, item, indent, unit);
    }
    out += ']';
  } else {
    const bool map = node.kind == Kind::map;
    const std::size_t count = map ? node.members.size() : node.items.size();
    const std::string inner = indent + std::string(unit);
    out += map ? '{' : '[';
    for (std::size_t i = 0; i < count; ++i) {
      out += (i > 0 ? ",\n" : "\n") + inner;
      if (map) out += json::quote(node.members[i].key) + ": ";
      append_pretty(out, map ? node.members[i].value : node.items[i], inner, unit);
    }
    if (count > 0) out += '\n' + indent;
    out += map ? '}' : ']';
  }
}

// The white space in front of `at` on its line, if there is nothing else.
std::string_view indent_at(std::string_view text, std::size_t at) {
  const std::size_t begin = text.substr(0, at).rfind('\n') + 1;
  const auto before = text.substr(begin, at - begin);
  return before.substr(0, before.find_first_not_of(" \t"));
}

std::string unit_of(std::string_view text, const JsonObject& root) {
  if (root.members.empty()) return "  ";
  const std::string unit(indent_at(text, root.members.front().begin));
  return unit.empty() ? "  " : unit;
}

// The value with the objects that `path` still names around it.
Node nested(std::span<const std::string_view> path, const Node& value) {
  Node node = value;
  for (auto key = path.rbegin(); key != path.rend(); ++key) {
    node = map_node({{std::string(*key), 0, std::move(node)}});
  }
  return node;
}

std::string inserted(std::string_view text, const JsonObject& object, std::string_view key,
                     const Node& value, std::string_view unit) {
  const std::string outer(indent_at(text, object.open));
  const std::string inner = object.members.empty()
                                ? outer + std::string(unit)
                                : std::string(indent_at(text, object.members.back().begin));
  std::string member = json::quote(key) + ": ";
  append_pretty(member, value, inner, unit);
  // After the last comment of the object, which may end with its line.
  std::size_t at = text.substr(0, object.close).find_last_not_of(" \t\r\n") + 1;
  std::string out(text.substr(0, at));
  if (!object.members.empty() && object.members.back().comma == kNone) {
    out.insert(object.members.back().end, ",");
  }
  out += '\n' + inner + member;
  const std::string_view rest = text.substr(at);
  const bool closed_below = rest.find('\n') < rest.find('}');
  if (!closed_below) out += '\n' + outer;
  return out.append(closed_below ? rest : text.substr(object.close));
}

struct Found {
  JsonObject root;
  JsonObject object;      // The innermost that exists.
  std::size_t depth = 0;  // How many keys of the path lead to it.
};

Result<Found> find_object(std::string_view text, std::span<const std::string_view> path) {
  Scanner scanner(text);
  auto root = scanner.object(0);
  if (!root) return root.error();
  if (!scanner.ends_at(root->close + 1)) {
    return Error{Code::invalid_request, "text follows the object"};
  }
  Found found{*root, *root, 0};
  while (found.depth + 1 < path.size()) {
    const auto next = std::ranges::find(found.object.members, path[found.depth], &JsonMember::key);
    if (next == found.object.members.end()) break;
    // What is null is not there yet: an object takes its place.
    if (text.substr(next->value, next->end - next->value) == "null") break;
    auto inner = scanner.object(next->value);
    if (!inner) {
      return Error{Code::invalid_request,
                   fmt::format("\"{}\" is not an object", path[found.depth])};
    }
    found.object = *std::move(inner);
    ++found.depth;
  }
  return found;
}

// Removes a member with its comma, its line and a comment that follows on the line.
std::string without(std::string_view text, const JsonObject& object, std::size_t index) {
  const JsonMember& member = object.members[index];
  std::size_t begin = member.begin - indent_at(text, member.begin).size();
  const bool own_line = begin > 0 && text[begin - 1] == '\n';
  if (!own_line) begin = member.begin;
  std::size_t end = member.comma == kNone ? member.end : member.comma + 1;
  const std::size_t line_end = std::min(text.find('\n', end), text.size());
  const auto rest = text.substr(end, line_end - end);
  const std::size_t more = std::min(rest.find_first_not_of(" \t\r"), rest.size());
  const bool alone = more == rest.size() || rest.substr(more).starts_with("//");
  if (own_line && alone) end = std::min(line_end + 1, text.size());
  std::string out(text);
  out.erase(begin, end - begin);
  const bool last = index + 1 == object.members.size();
  if (last && index > 0 && member.comma == kNone) out.erase(object.members[index - 1].comma, 1);
  return out;
}

Result<std::string> set_member(std::string_view text, std::span<const std::string_view> path,
                               const Node& value) {
  if (text.find_first_not_of(" \t\r\n") == kNone) {
    std::string fresh;
    append_pretty(fresh, nested(path, value), "", "  ");
    return fresh + "\n";
  }
  auto found = find_object(text, path);
  if (!found) return found.error();
  const std::string unit = unit_of(text, found->root);
  const auto key = path[found->depth];
  const auto present = std::ranges::find(found->object.members, key, &JsonMember::key);
  if (present == found->object.members.end()) {
    return inserted(text, found->object, key, nested(path.subspan(found->depth + 1), value), unit);
  }
  std::string fresh;
  append_pretty(fresh, nested(path.subspan(found->depth + 1), value),
                std::string(indent_at(text, present->begin)), unit);
  return std::string(text.substr(0, present->value)) + fresh +
         std::string(text.substr(present->end));
}

}  // namespace

Result<std::string> set_json_member(std::string_view text, std::span<const std::string_view> path,
                                    const Node& value) {
  const TextForm form(text);
  auto edited = set_member(form.plain(), path, value);
  if (!edited) return edited.error();
  return form.restored(*edited);
}

Result<std::string> remove_json_member(std::string_view text,
                                       std::span<const std::string_view> path) {
  const TextForm form(text);
  auto found = find_object(form.plain(), path);
  if (!found) return found.error();
  const auto& members = found->object.members;
  const auto present = std::ranges::find(members, path.back(), &JsonMember::key);
  if (found->depth + 1 != path.size() || present == members.end()) {
    return Error{Code::not_found, fmt::format("there is no \"{}\"", fmt::join(path, "."))};
  }
  const auto index = static_cast<std::size_t>(present - members.begin());
  return form.restored(without(form.plain(), found->object, index));
}

}  // namespace patchbay::config
