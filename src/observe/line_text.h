// A LineText is the text of a line while it is put together, piece by piece. Its memory is kept for
// the lines that follow. Confined to one thread.
#pragma once

#include <algorithm>
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
    char* at = room(name.size() + value.size() + 2);
    *at++ = ' ';
    at += name.copy(at, name.size());
    *at++ = '=';
    value.copy(at, value.size());
  }

  std::string_view view() const { return {bytes_.get(), size_}; }

 private:
  // Makes the text so much longer; the caller writes there.
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
