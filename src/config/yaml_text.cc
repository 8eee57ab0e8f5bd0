#include "config/yaml_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

namespace patchbay::config {
namespace {

// In UTF-8. The stand-ins are noncharacters, which Unicode keeps out of texts.
struct Separator {
  std::string_view character;
  std::string_view stand_in;
};
constexpr std::array<Separator, 3> kSeparators{{
    {"\xC2\x85", "\xEF\xB7\x90"},      // U+0085 NEXT LINE, U+FDD0
    {"\xE2\x80\xA8", "\xEF\xB7\x91"},  // U+2028 LINE SEPARATOR, U+FDD1
    {"\xE2\x80\xA9", "\xEF\xB7\x92"},  // U+2029 PARAGRAPH SEPARATOR, U+FDD2
}};

bool contains(std::string_view text, std::string_view part) {
  return text.find(part) != std::string_view::npos;
}

std::string replace_all(std::string_view text, std::string_view from, std::string_view to) {
  std::string out;
  out.reserve(text.size());
  for (auto at = text.find(from); at != std::string_view::npos; at = text.find(from)) {
    out.append(text.substr(0, at)).append(to);
    text.remove_prefix(at + from.size());
  }
  return out.append(text);
}

struct Refusal {
  std::size_t at;
  std::string why;
};

// What libyaml would take too long to read.
std::optional<Refusal> find_costly(std::string_view text) {
  std::size_t blanks = 0;
  int directives = 0;
  bool line_begins = true;
  for (std::size_t at = 0; at < text.size(); ++at) {
    const char c = text[at];
    if (line_begins && c == '%' && text.substr(at).starts_with("%TAG") &&
        ++directives > kMaxTagDirectives) {
      return Refusal{at, fmt::format("has more than {} %TAG directives", kMaxTagDirectives)};
    }
    line_begins = c == '\n' || c == '\r';
    blanks = line_begins || c == ' ' || c == '\t' ? blanks + 1 : 0;
    if (blanks > kMaxBlanks) {
      return Refusal{at, fmt::format("has more than {} spaces and line ends in a row", kMaxBlanks)};
    }
  }
  return std::nullopt;
}

int line_number_at(std::string_view text, std::size_t at) {
  return static_cast<int>(std::ranges::count(text.substr(0, at), '\n')) + 1;
}

}  // namespace

std::optional<YamlText> YamlText::prepare(std::string_view text, const std::string& name,
                                          Faults& faults) {
  if (auto costly = find_costly(text)) {
    faults.push_back({name, line_number_at(text, costly->at), "", std::move(costly->why)});
    return std::nullopt;
  }
  YamlText prepared(text);
  const auto holds = [&text](const Separator& one) { return contains(text, one.character); };
  if (std::ranges::none_of(kSeparators, holds)) return prepared;
  for (const Separator& one : kSeparators) {
    if (const auto at = text.find(one.stand_in); at != std::string_view::npos) {
      faults.push_back({name, line_number_at(text, at), "", "holds a noncharacter of Unicode"});
      return std::nullopt;
    }
    prepared.replaced_ = replace_all(prepared.view(), one.character, one.stand_in);
  }
  return prepared;
}

std::string YamlText::restore(std::string part) const {
  if (replaced_.empty()) return part;
  for (const Separator& one : kSeparators) part = replace_all(part, one.stand_in, one.character);
  return part;
}

}  // namespace patchbay::config
