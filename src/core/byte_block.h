// A few bytes of a text, compared in one step on any processor. Pure.
//
// Comparing a block with a character yields a block: all bits of a byte that is equal, none of one
// that is not.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>

namespace patchbay {

using Block16 = signed char __attribute__((vector_size(16)));
using UnsignedBlock16 = unsigned char __attribute__((vector_size(16)));
using Block8 = signed char __attribute__((vector_size(8)));

template <class Block>
Block load_block(const char* at) {
  Block block;
  std::memcpy(&block, at, sizeof block);
  return block;
}

// All bytes `count` positions later: zeros come first, and the last bytes are dropped.
template <int count>
UnsignedBlock16 shift_in_zeros(UnsignedBlock16 block) {
  constexpr int c = 16 - count;
  return __builtin_shufflevector(UnsignedBlock16{}, block, c, c + 1, c + 2, c + 3, c + 4, c + 5,
                                 c + 6, c + 7, c + 8, c + 9, c + 10, c + 11, c + 12, c + 13, c + 14,
                                 c + 15);
}

// One bit for each byte of a comparison's result, the lowest for the first byte.
template <class Block>
unsigned bits_of(Block found) {
#if defined(__clang__)
  using Flags = bool __attribute__((ext_vector_type(sizeof(Block))));
  const auto flags = __builtin_convertvector(found, Flags);
  if constexpr (sizeof(Block) == 16) {
    return std::bit_cast<std::uint16_t>(flags);
  } else {
    return std::bit_cast<std::uint8_t>(flags);
  }
#else
  unsigned bits = 0;
  for (std::size_t i = 0; i < sizeof(Block); ++i) bits |= (found[i] ? 1U : 0U) << i;
  return bits;
#endif
}

}  // namespace patchbay
