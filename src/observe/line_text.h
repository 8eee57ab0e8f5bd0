// A LineText is the text of a log line while it is written. Its memory is reused for the following
// lines. Confined to one thread.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstring>
#include <memory>
#include <string_view>
#include <utility>

namespace patchbay::log {

class LineText {
 public:
  void clear() { size_ = 0; }

  void put(std::string_view piece) { piece.copy(room(piece.size()), piece.size()); }

  // Appends " name=value": every line has several of them.
  void put_pair(std::string_view name, std::string_view value) {
    value.copy(begin_pair(name, value.size()), value.size());
  }

  // The same for a value that may need quotes. False if it needs escapes too, and then nothing was
  // appended. Values are checked while they are copied, since most are a few plain bytes.
  bool put_plain_pair(std::string_view name, std::string_view value) {
    const std::size_t before = size_;
    char* at = begin_pair(name, value.size());
    unsigned needs = value.empty() ? kEscapes : 0;
    for (const char c : value) {
      needs |= kNeeds[static_cast<unsigned char>(c)];
      *at++ = c;
    }
    if (needs == 0) return true;
    size_ = before;
    if ((needs & kEscapes) != 0) return false;
    put_in_quotes(name, value);
    return true;
  }

  std::string_view view() const { return {bytes_.get(), size_}; }

 private:
  // What a value with that byte needs: nothing if it is visible ASCII, except for separators.
  static constexpr unsigned char kQuotes = 1;
  static constexpr unsigned char kEscapes = 2;
  static constexpr auto kNeeds = [] {
    std::array<unsigned char, 256> needs{};
    for (std::size_t c = 0; c < needs.size(); ++c) {
      const bool is_visible = c >= '!' && c < 0x7F && c != '"' && c != '\\';
      needs[c] = is_visible ? 0 : kEscapes;
    }
    needs[' '] = needs['='] = kQuotes;
    return needs;
  }();

  void put_in_quotes(std::string_view name, std::string_view value) {
    char* at = begin_pair(name, value.size() + 2);
    *at++ = '"';
    at += value.copy(at, value.size());
    *at = '"';
  }

  // Appends " name=" and room for the value; the caller writes it there.
  char* begin_pair(std::string_view name, std::size_t value_size) {
    char* at = room(name.size() + value_size + 2);
    *at++ = ' ';
    at += name.copy(at, name.size());
    *at++ = '=';
    return at;
  }

  // Extends the text by that size; the caller writes there.
  char* room(std::size_t more) {
    if (capacity_ - size_ < more) grow(size_ + more);
    char* const at = bytes_.get() + size_;
    size_ += more;
    return at;
  }

  void grow(std::size_t least) {
    const std::size_t capacity = std::max(least, 2 * capacity_);
    auto bytes = std::make_unique_for_overwrite<char[]>(capacity);
    if (size_ > 0) std::memcpy(bytes.get(), bytes_.get(), size_);
    bytes_ = std::move(bytes);
    capacity_ = capacity;
  }

  std::unique_ptr<char[]> bytes_;
  std::size_t size_ = 0;
  std::size_t capacity_ = 0;
};

}  // namespace patchbay::log
