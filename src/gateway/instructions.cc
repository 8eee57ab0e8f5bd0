#include "gateway/instructions.h"

#include <fmt/format.h>

#include <algorithm>

namespace patchbay::gateway {
namespace {

constexpr std::string_view kCut = "…";

// The text without blank space around it, at most `most` bytes.
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

}  // namespace

std::string merge_instructions(std::string_view own, std::vector<UpstreamInstructions> others,
                               std::size_t most) {
  std::string merged = cut(own, most);
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
