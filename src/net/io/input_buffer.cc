#include "net/io/input_buffer.h"

#include <cstring>
#include <memory>
#include <vector>

namespace patchbay::net {
namespace {

constexpr std::size_t kStoredBlocks = 256;  // Per thread.

thread_local std::vector<std::unique_ptr<char[]>> spare_blocks;

char* take(std::size_t size) {
  if (size != InputBuffer::kBlock || spare_blocks.empty()) return new char[size];
  char* const block = spare_blocks.back().release();
  spare_blocks.pop_back();
  return block;
}

void free_block(char* memory, std::size_t size) {
  std::unique_ptr<char[]> block(memory);
  if (size == InputBuffer::kBlock && spare_blocks.size() < kStoredBlocks) {
    spare_blocks.push_back(std::move(block));
  }
}

}  // namespace

std::span<char> InputBuffer::room(std::size_t least) {
  if (data_ && capacity_ - end_ >= least) return {data_ + end_, capacity_ - end_};
  const std::size_t size = end_ - begin_;
  if (data_ && size * 2 < capacity_ && capacity_ - size >= least) {
    std::memmove(data_, data_ + begin_, size);
  } else {
    std::size_t larger = capacity_ == 0 ? kBlock : capacity_ * 2;
    while (larger - size < least) larger *= 2;
    char* const moved = take(larger);
    if (size > 0) std::memcpy(moved, data_ + begin_, size);
    if (data_) free_block(data_, capacity_);
    data_ = moved;
    capacity_ = larger;
  }
  begin_ = 0;
  end_ = size;
  return {data_ + end_, capacity_ - end_};
}

void InputBuffer::release() {
  if (data_) free_block(data_, capacity_);
  data_ = nullptr;
  capacity_ = begin_ = end_ = 0;
}

}  // namespace patchbay::net
