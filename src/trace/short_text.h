// A ShortText is text of at most N bytes that is stored in place, so that a record with many of
// them is copied without an allocation. Longer text is cut at a character boundary.
//
// A value.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <string_view>

namespace patchbay::trace {

template <std::size_t N>
class ShortText {
 public:
  static constexpr std::size_t kMost = N;

  ShortText() = default;
  ShortText(std::string_view text) { *this = text; }  // NOLINT(google-explicit-constructor)

  ShortText& operator=(std::string_view text) {
    std::size_t size = std::min(text.size(), N);
    // Not within the bytes of one UTF-8 character.
    const auto continues = [&](std::size_t i) {
      return (static_cast<unsigned char>(text[i]) & 0xC0U) == 0x80U;
    };
    while (size > 0 && size < text.size() && continues(size)) --size;
    text.copy(bytes_.data(), size);
    size_ = static_cast<std::uint16_t>(size);
    return *this;
  }

  // Only the bytes in use are copied.
  ShortText(const ShortText& other) : ShortText(other.view()) {}
  ShortText& operator=(const ShortText& other) { return *this = other.view(); }

  std::string_view view() const { return {bytes_.data(), size_}; }
  operator std::string_view() const { return view(); }  // NOLINT(google-explicit-constructor)
  bool empty() const { return size_ == 0; }

 private:
  std::uint16_t size_ = 0;
  std::array<char, N> bytes_;  // Uninitialized beyond size_.
};

}  // namespace patchbay::trace
