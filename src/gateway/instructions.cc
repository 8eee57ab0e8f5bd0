#include "gateway/instructions.h"

#include <fmt/format.h>

#include <algorithm>

namespace patchbay::gateway {
namespace {

constexpr std::string_view kCut = "…";

// The text without surrounding white space, at most `most` bytes.
std::string cut(std::string_view text, std::size_t most) {
  const auto first = text.find_first_not_of(" \t\r\n");
  if (first == std::string_view::npos) return {};
  text = text.substr(first, text.find_last_not_of(" \t\r\n") - first + 1);
  if (text.size() <= most) return std::string(text);
  if (most < kCut.size()) return {};
  std::size_t size = most - kCut.size();
  // Not between the bytes of one character of UTF-8.
  while (size > 0 && (static_cast<unsigned char>(text[size]) & 0xC0U) == 0x80U) --size;
  return std::string(text.substr(0, size)) + std::string(kCut);
}

// Without control characters, and with headings one level deeper, so that the text of an upstream
// cannot pass for that of another one. More than `most` bytes only if it is cut later anyway.
std::string nested(std::string_view text, std::size_t most) {
  std::string safe;
  bool begins = true;  // A line without leading spaces.
  text.remove_prefix(std::min(text.find_first_not_of(" \t\r\n"), text.size()));
  for (const char c : text) {
    if (safe.size() > most) break;
    const auto code = static_cast<unsigned char>(c);
    if ((code < 0x20 && c != '\n' && c != '\t') || code == 0x7F) continue;
    if (begins && c == '#') safe += '#';
    // A line of them would make a heading of the line before.
    if (begins && c == '=') safe += '\\';
    begins = c == '\n' || (begins && (c == ' ' || c == '\t'));
    safe += c;
  }
  return safe;
}

}  // namespace

std::string merge_instructions(std::string_view own, std::vector<UpstreamInstructions> others,
                               std::size_t most) {
  std::string merged = cut(own, most);
  for (auto& one : others) one.text = nested(one.text, most);
  std::erase_if(others, [](const auto& one) { return cut(one.text, 1 << 20).empty(); });
  for (std::size_t i = 0; i < others.size(); ++i) {
    const std::string head =
        fmt::format("{}# {}\n\n", merged.empty() ? "" : "\n\n", others[i].upstream);
    const std::size_t share = (most - merged.size()) / (others.size() - i);
    if (share <= head.size()) continue;
    const std::string text = cut(others[i].text, share - head.size());
    if (!text.empty()) merged += head + text;
  }
  return merged;
}

}  // namespace patchbay::gateway
