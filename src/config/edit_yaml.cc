#include "config/edit_yaml.h"

#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include "config/make_node.h"
#include "config/parse.h"
#include "config/to_json.h"
#include "config/write_yaml.h"

namespace patchbay::config {
namespace {

constexpr std::size_t kIndent = 2;

struct Line {
  std::string_view text;  // With its line end.
  std::size_t indent = 0;
  bool content = false;  // Neither blank nor a comment.
};

std::vector<Line> lines_of(std::string_view text) {
  std::vector<Line> lines;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size() - 1) + 1;
    const std::string_view line = text.substr(0, end);
    const std::size_t indent = std::min(line.find_first_not_of(' '), line.size());
    const std::size_t first = line.find_first_not_of(" \t\r\n");
    const bool content = first != std::string_view::npos && line[first] != '#';
    lines.push_back({line, indent, content});
    text.remove_prefix(end);
  }
  return lines;
}

Error by_hand(std::string_view section) {
  return {Code::invalid_request,
          fmt::format("`{}` is written in a style that cannot be edited safely; write it as an "
                      "indented block, or edit the file by hand",
                      section)};
}

// A file as its lines, and where the section and its members are in them.
class YamlFile {
 public:
  static Result<YamlFile> read(std::string_view text, std::string_view section) {
    Faults faults;
    YamlFile file(text, section);
    file.root_ = parse_yaml(text, "", faults);
    if (!faults.empty()) return Error{Code::invalid_request, to_string(faults.front())};
    if (file.root_.kind == Kind::null) file.root_.kind = Kind::map;
    if (file.root_.kind != Kind::map) return by_hand(section);
    return file;
  }

  Result<std::string> add(std::string_view key, const Node& value) {
    const std::string entry = to_yaml(map_node({{std::string(key), 0, value}}));
    const Node* const present = root_.find(section_);
    Node wanted = root_;
    if (!present) {
      add_member(wanted, section_, map_node({{std::string(key), 0, value}}));
      return checked(append_section(entry), wanted);
    }
    Node& members = *wanted.find(section_);
    if (members.kind == Kind::null) members.kind = Kind::map;
    if (members.kind != Kind::map) return by_hand(section_);
    add_member(members, key, value);
    const std::size_t head = key_line(section_, root_);
    if (present->members.empty()) {
      return checked(rebuilt(head, head + 1, without_value(head) + indented(entry, kIndent)),
                     wanted);
    }
    const std::size_t last = line_index(present->members.back().line);
    const std::size_t end = end_of(last);
    return checked(rebuilt(end, end, indented(entry, lines_[last].indent)), wanted);
  }

  Result<std::string> remove(std::string_view key) {
    const Node* const present = root_.find(section_);
    if (!present || !present->find(key)) {
      return Error{Code::not_found, fmt::format("`{}` has no '{}'", section_, key)};
    }
    Node wanted = root_;
    auto& members = wanted.find(section_)->members;
    std::erase_if(members, [&](const Member& member) { return member.key == key; });
    const std::size_t at = key_line(key, *present);
    const std::size_t end = end_of(at);
    if (!members.empty()) return checked(rebuilt(at, end, ""), wanted);
    const std::size_t head = key_line(section_, root_);
    if (head >= at) return by_hand(section_);
    std::string text = joined(0, head);
    const std::string_view line = lines_[head].text;
    const std::size_t colon = std::min(line.find(':'), line.size() - 1) + 1;
    text.append(line.substr(0, colon)).append(" {}").append(line.substr(colon));
    return checked(text + joined(head + 1, at) + joined(end, lines_.size()), wanted);
  }

 private:
  YamlFile(std::string_view text, std::string_view section)
      : section_(section),
        line_end_(text.find("\r\n") != std::string_view::npos ? "\r\n" : "\n"),
        lines_(lines_of(text)) {}

  static std::size_t line_index(int line) {
    return static_cast<std::size_t>(std::max(line, 1)) - 1;
  }

  static std::size_t key_line(std::string_view key, const Node& map) {
    return line_index(std::ranges::find(map.members, key, &Member::key)->line);
  }

  // The line after the entry whose key is on line `at`. Comments at its end that are indented no
  // more than its key are about what follows.
  std::size_t end_of(std::size_t at) const {
    std::size_t end = at + 1;
    for (std::size_t i = at + 1; i < lines_.size(); ++i) {
      const Line& line = lines_[i];
      if (line.content && line.indent <= lines_[at].indent) break;
      const bool comment = line.text.find('#') != std::string_view::npos;
      if (line.content || (comment && line.indent > lines_[at].indent)) end = i + 1;
    }
    return end;
  }

  std::string joined(std::size_t begin, std::size_t end) const {
    std::string text;
    for (std::size_t i = begin; i < end; ++i) text += lines_[i].text;
    if (end > begin && end < lines_.size() && !text.ends_with('\n')) text += line_end_;
    return text;
  }

  // The text with `with` instead of the lines from `begin` up to `end`.
  std::string rebuilt(std::size_t begin, std::size_t end, std::string_view with) const {
    std::string text = joined(0, begin);
    if (!text.empty() && !text.ends_with('\n')) text += line_end_;
    return text.append(with) + joined(end, lines_.size());
  }

  std::string append_section(const std::string& entry) const {
    const std::string gap = lines_.empty() ? "" : line_end_;
    return rebuilt(lines_.size(), lines_.size(),
                   fmt::format("{}{}:{}{}", gap, section_, line_end_, indented(entry, kIndent)));
  }

  // Line `head` without the `{}`, `null` or `~` after its colon.
  std::string without_value(std::size_t head) const {
    std::string line(lines_[head].text);
    if (!line.ends_with('\n')) line += line_end_;
    const std::size_t colon = std::min(line.find(':'), line.size() - 1) + 1;
    const std::size_t value = std::min(line.find_first_not_of(" \t", colon), line.size());
    for (const std::string_view empty : {"{}", "null", "~"}) {
      if (!std::string_view(line).substr(value).starts_with(empty)) continue;
      line.erase(colon, value + empty.size() - colon);
      break;
    }
    return line;
  }

  std::string indented(std::string_view block, std::size_t spaces) const {
    std::string out;
    for (const Line& line : lines_of(block)) {
      out.append(spaces, ' ').append(line.text.substr(0, line.text.find('\n'))).append(line_end_);
    }
    return out;
  }

  // `text` if it means what is wanted.
  Result<std::string> checked(std::string text, const Node& wanted) const {
    Faults faults;
    Node got = parse_yaml(text, "", faults);
    if (!faults.empty() || to_json(got) != to_json(wanted)) return by_hand(section_);
    return text;
  }

  const std::string section_;
  const std::string line_end_;
  const std::vector<Line> lines_;
  Node root_;
};

}  // namespace

Result<std::string> add_yaml_member(std::string_view text, std::string_view section,
                                    std::string_view key, const Node& value) {
  auto file = YamlFile::read(text, section);
  if (!file) return file.error();
  return file->add(key, value);
}

Result<std::string> remove_yaml_member(std::string_view text, std::string_view section,
                                       std::string_view key) {
  auto file = YamlFile::read(text, section);
  if (!file) return file.error();
  return file->remove(key);
}

}  // namespace patchbay::config
