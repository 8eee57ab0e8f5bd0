#include "config/edit_toml.h"

#include <fmt/format.h>

#include <algorithm>

#include "config/text_form.h"
#include "json/text.h"

namespace patchbay::config {
namespace {

bool is_bare(std::string_view key) {
  constexpr std::string_view kAllowed =
      "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_-";
  return !key.empty() && key.find_first_not_of(kAllowed) == std::string_view::npos;
}

std::string key_text(std::string_view key) {
  return is_bare(key) ? std::string(key) : json::quote(key);
}

// Basic strings of TOML have the escapes of JSON.
std::string value_text(const Node& node) {
  if (node.kind == Kind::scalar) return node.quoted ? json::quote(node.text) : node.text;
  std::string out;
  for (const Node& item : node.items) out += (out.empty() ? "" : ", ") + value_text(item);
  if (node.kind == Kind::list) return "[" + out + "]";
  for (const Member& member : node.members) {
    out += fmt::format("{}{} = {}", out.empty() ? "" : ", ", key_text(member.key),
                       value_text(member.value));
  }
  return "{ " + out + " }";
}

// The keys of a header such as `[a."b c".d] # comment`, or none.
std::vector<std::string> header_keys(std::string_view line) {
  std::vector<std::string> keys;
  line.remove_prefix(std::min(line.find_first_not_of(" \t"), line.size()));
  while (line.starts_with('[')) line.remove_prefix(1);
  std::string key;
  for (std::size_t at = 0; at < line.size(); ++at) {
    const char c = line[at];
    if (c == '"' || c == '\'') {
      const std::size_t end = line.find(c, at + 1);
      if (end == std::string_view::npos) return {};
      key += line.substr(at + 1, end - at - 1);
      at = end;
    } else if (c == '.' || c == ']') {
      keys.push_back(std::exchange(key, ""));
      if (c == ']') return keys;
    } else if (c != ' ' && c != '\t') {
      key += c;
    }
  }
  return {};
}

// Follows strings of several lines, in which nothing is a header.
class StringTracker {
 public:
  // Whether the line begins inside such a string.
  bool inside() const { return !quote_.empty(); }

  void pass(std::string_view line) {
    while (!line.empty()) {
      if (inside()) {
        const std::size_t end = line.find(quote_);
        if (end == std::string_view::npos) return;
        line.remove_prefix(end + quote_.size());
        quote_ = "";
        continue;
      }
      const std::size_t next = line.find_first_of("\"'#");
      if (next == std::string_view::npos || line[next] == '#') return;
      line.remove_prefix(next);
      const std::string_view three = line[0] == '"' ? "\"\"\"" : "'''";
      if (line.starts_with(three)) {
        quote_ = three;
        line.remove_prefix(three.size());
        continue;
      }
      line.remove_prefix(string_end(line));
    }
  }

 private:
  // After the string that `line` begins with.
  static std::size_t string_end(std::string_view line) {
    for (std::size_t at = 1; at < line.size(); ++at) {
      if (line[at] == '\\' && line[0] == '"') {
        ++at;
      } else if (line[at] == line[0]) {
        return at + 1;
      }
    }
    return line.size();
  }

  std::string_view quote_;
};

Result<std::string> set_table(std::string_view text, std::string_view parent, std::string_view name,
                              const Node& table) {
  std::string fresh = fmt::format("[{}.{}]\n", parent, key_text(name));
  for (const Member& member : table.members) {
    fresh += fmt::format("{} = {}\n", key_text(member.key), value_text(member.value));
  }
  std::string out;
  StringTracker strings;
  bool written = false;
  bool dropping = false;
  bool top = true;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size() - 1) + 1;
    const std::string_view line = text.substr(0, end);
    text.remove_prefix(end);
    const std::size_t first = line.find_first_not_of(" \t");
    const bool begins = !strings.inside() && first != std::string_view::npos;
    if (begins && line[first] == '[' && line.find('=') == std::string_view::npos) {
      const auto keys = header_keys(line);
      top = false;
      dropping = keys.size() >= 2 && keys[0] == parent && keys[1] == name;
      if (dropping && !std::exchange(written, true)) out += fresh;
      // What follows the table stays apart from it.
      if (!dropping && written && out.ends_with(fresh)) out += '\n';
    } else if (begins && top && line.substr(first).starts_with(parent)) {
      return Error{Code::invalid_request,
                   fmt::format("`{}` is not written as [{}.NAME] tables; edit the file by hand",
                               parent, parent)};
    }
    strings.pass(line);
    if (!dropping) out += line;
  }
  if (written) return out;
  if (!out.empty() && !out.ends_with('\n')) out += '\n';
  return out.append(out.empty() ? "" : "\n") + fresh;
}

}  // namespace

Result<std::string> set_toml_table(std::string_view text, std::string_view parent,
                                   std::string_view name, const Node& table) {
  const TextForm form(text);
  auto edited = set_table(form.plain(), parent, name, table);
  if (!edited) return edited.error();
  return form.restored(*edited);
}

}  // namespace patchbay::config
