// A LineText is the text of a line while it is put together, piece by piece. Its memory is kept for
// the lines that follow. Confined to one thread.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <initializer_list>
#include <memory>
#include <string_view>
#include <utility>

namespace patchbay::log {

class LineText {
 public:
  void clear() { size_ = 0; }

  // Appends the pieces, with one look at the room that is left.
  void put(std::initializer_list<std::string_view> pieces) {
    std::size_t more = 0;
    for (const auto piece : pieces) more += piece.size();
    if (capacity_ - size_ < more) grow(size_ + more);
    char* at = bytes_.get() + size_;
    for (const auto piece : pieces) {
      // Not worth a call.
      if (piece.size() == 1) {
        *at++ = piece.front();
      } else {
        at += piece.copy(at, piece.size());
      }
    }
    size_ += more;
  }

  std::string_view view() const { return {bytes_.get(), size_}; }

 private:
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
