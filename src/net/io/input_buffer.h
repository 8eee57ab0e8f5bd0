// An InputBuffer holds the bytes of a connection that have arrived and are not consumed yet. While
// empty it holds no memory, so an idle connection costs almost nothing; the blocks are recycled per
// thread.
//
// Confined to one thread.
#pragma once

#include <cstddef>
#include <span>
#include <string_view>

namespace patchbay::net {

class InputBuffer {
 public:
  static constexpr std::size_t kBlock = 8 * 1024;

  InputBuffer() = default;
  InputBuffer(const InputBuffer&) = delete;
  InputBuffer& operator=(const InputBuffer&) = delete;
  ~InputBuffer() { release(); }

  std::string_view bytes() const { return {data_ + begin_, end_ - begin_}; }
  bool empty() const { return begin_ == end_; }

  // Room for at least that many more bytes. May move the contents, which invalidates views of them.
  std::span<char> room(std::size_t least = 1);
  void add(std::size_t count) { end_ += count; }

  // Drops bytes from the front. Views of the others stay valid.
  void drop(std::size_t count) { begin_ += count; }

  // Returns the memory if the buffer is empty.
  void release_if_empty() {
    if (empty()) release();
  }

 private:
  void release();

  char* data_ = nullptr;
  std::size_t capacity_ = 0;
  std::size_t begin_ = 0;
  std::size_t end_ = 0;
};

}  // namespace patchbay::net
