// An InputBuffer holds the bytes of a connection that have arrived and are not used up yet. While
// empty it holds no memory, so that an idle connection costs next to nothing; the blocks it uses
// are kept per thread.
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

  // Room for more bytes, at least so many. May move what is there: views of it are void.
  std::span<char> room(std::size_t least = 1);
  void add(std::size_t count) { end_ += count; }

  // Drops bytes from the front. Views of the others stay valid.
  void drop(std::size_t count) { begin_ += count; }

  // Gives the memory back if nothing is in it.
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
