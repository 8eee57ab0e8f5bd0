#include "config/load.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <iterator>
#include <unordered_map>

#include "config/file.h"
#include "config/interpolate.h"
#include "config/parse.h"
#include "config/trust.h"
#include "config/units.h"
#include "json/read.h"

namespace patchbay::config {
namespace {

// Removes every key but the first of its name, with a fault.
void refuse_duplicates(Node& node, const std::string& path, const std::string& name,
                       Faults& faults) {
  for (std::size_t i = 0; i < node.items.size(); ++i) {
    refuse_duplicates(node.items[i], element_path(path, i), name, faults);
  }
  std::unordered_map<std::string, int> first_line;
  std::erase_if(node.members, [&](const Member& member) {
    const auto [first, fresh] = first_line.emplace(member.key, member.line);
    if (fresh) return false;
    faults.push_back({name, member.line, member_path(path, member.key),
                      fmt::format("duplicate key, first given on line {}", first->second)});
    return true;
  });
  for (Member& member : node.members) {
    refuse_duplicates(member.value, member_path(path, member.key), name, faults);
  }
}

// Second pass over a parsed file: resolves ${…}.
class Resolver {
 public:
  Resolver(const std::string& name, Faults& faults, std::vector<std::string>* files)
      : name_(name),
        folder_(std::filesystem::path(name).parent_path()),
        faults_(faults),
        files_(files) {}

  void resolve(Node& node, const std::string& path) {
    if (node.kind == Kind::scalar) scalar(node, path);
    for (std::size_t i = 0; i < node.items.size(); ++i) {
      resolve(node.items[i], element_path(path, i));
    }
    for (Member& member : node.members) resolve(member.value, member_path(path, member.key));
  }

 private:
  void fault(int line, const std::string& path, std::string message) {
    faults_.push_back({name_, line, path, std::move(message)});
  }

  void scalar(Node& node, const std::string& path) {
    if (node.text.find('$') != std::string::npos) {
      Interpolated result = interpolate(node.text, folder_);
      for (std::string& problem : result.problems) fault(node.line, path, std::move(problem));
      if (files_) std::ranges::move(result.files, std::back_inserter(*files_));
      node.text = std::move(result.text);
      node.interpolated = result.changed;
    }
    // Programs and files cannot take a NUL: it would truncate their argument.
    if (node.text.find('\0') != std::string::npos) {
      fault(node.line, path, "holds a NUL character");
    }
    const bool fitted = text_ <= kMaxText;
    text_ += node.text.size();
    if (fitted && text_ > kMaxText) {
      fault(node.line, path, fmt::format("the file grows beyond {} here", print(Bytes{kMaxText})));
    }
    if (text_ > kMaxText) node.text.clear();
  }

  const std::string& name_;
  const std::string folder_;
  Faults& faults_;
  std::vector<std::string>* const files_;
  std::size_t text_ = 0;
};

bool is_json(std::string_view text, const std::string& name) {
  if (name.ends_with(".json") || name.ends_with(".jsonc")) return true;
  const std::size_t first = text.find_first_not_of(" \t\r\n");
  return first != std::string_view::npos && text[first] == '{' && json::check(text);
}

Node parse_notation(std::string_view text, const std::string& name, Faults& faults) {
  if (name.ends_with(".toml")) return parse_toml(text, name, faults);
  return is_json(text, name) ? parse_json(text, name, faults) : parse_yaml(text, name, faults);
}

}  // namespace

bool is_plain_text(std::string_view text, const std::string& name, Faults& faults) {
  const std::size_t valid = json::utf8_prefix(text);
  const auto is_control = [](char c) {
    return static_cast<unsigned char>(c) < 0x20 && c != '\t' && c != '\n' && c != '\r';
  };
  const auto found = std::ranges::find_if(text.substr(0, valid), is_control);
  const auto at = static_cast<std::size_t>(found - text.begin());
  if (at == text.size()) return true;
  const int line = static_cast<int>(std::ranges::count(text.substr(0, at), '\n')) + 1;
  const bool utf16 = text.starts_with("\xFF\xFE") || text.starts_with("\xFE\xFF");
  const std::string_view encoding =
      utf16 ? "is not UTF-8 text but UTF-16; save it as UTF-8" : "is not UTF-8 text";
  faults.push_back(
      {name, line, "",
       at == valid ? std::string(encoding) : fmt::format("control character 0x{:02x}", text[at])});
  return false;
}

Node parse_text(std::string_view text, const std::string& name, Faults& faults) {
  if (text.starts_with("\xEF\xBB\xBF")) text.remove_prefix(3);
  if (text.size() > kMaxFile) {
    faults.push_back({name, 0, "", fmt::format("is larger than {}", print(Bytes{kMaxFile}))});
    return {};
  }
  if (!is_plain_text(text, name, faults)) return {};
  Node root = parse_notation(text, name, faults);
  refuse_duplicates(root, "", name, faults);
  sort_by_line(faults);
  return root;
}

Node parse_file(const std::string& path, Faults& faults) {
  auto file = read_file(path, kMaxFile);
  if (!file) {
    faults.push_back({path, 0, "", file.error().message});
    return {};
  }
  std::string fault = untrusted_writers(path);
  if (!fault.empty()) faults.push_back({path, 0, "", std::move(fault)});
  return parse_text(*file, path, faults);
}

void resolve(Node& root, const std::string& name, Faults& faults, std::vector<std::string>* files) {
  Resolver(name, faults, files).resolve(root, "");
  sort_by_line(faults);
}

Node load_text(std::string_view text, const std::string& name, Faults& faults,
               std::vector<std::string>* files) {
  Node root = parse_text(text, name, faults);
  resolve(root, name, faults, files);
  return root;
}

Node load_file(const std::string& path, Faults& faults, std::vector<std::string>* files) {
  Node root = parse_file(path, faults);
  resolve(root, path, faults, files);
  return root;
}

}  // namespace patchbay::config
