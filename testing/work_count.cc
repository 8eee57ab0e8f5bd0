#include "testing/work_count.h"

#include <cstddef>

// What the compiler calls on every edge, and the functions of the C library that loop. Those of the
// library itself cannot be counted, so these replace them. Compiled with -fno-builtin, or the loops
// below would become calls of themselves.
namespace {

std::uint64_t work = 0;

void count_bytes(std::size_t bytes) { work += 1 + bytes / 16; }

using Bytes = const unsigned char*;

}  // namespace

namespace patchbay::testing {

std::uint64_t work_count() { return work; }

}  // namespace patchbay::testing

extern "C" {

// NOLINTBEGIN: the names and the signatures are given.
void __sanitizer_cov_trace_pc() { ++work; }

int memcmp(const void* a, const void* b, std::size_t size) {
  std::size_t at = 0;
  while (at < size && static_cast<Bytes>(a)[at] == static_cast<Bytes>(b)[at]) ++at;
  count_bytes(at);
  return at == size ? 0 : static_cast<Bytes>(a)[at] - static_cast<Bytes>(b)[at];
}

void* memchr(const void* text, int wanted, std::size_t size) {
  std::size_t at = 0;
  while (at < size && static_cast<Bytes>(text)[at] != static_cast<unsigned char>(wanted)) ++at;
  count_bytes(at);
  return at == size ? nullptr : const_cast<unsigned char*>(static_cast<Bytes>(text) + at);
}

void* memmove(void* to, const void* from, std::size_t size) {
  count_bytes(size);
  auto* const out = static_cast<unsigned char*>(to);
  const auto* const in = static_cast<Bytes>(from);
  if (out < in) {
    for (std::size_t i = 0; i < size; ++i) out[i] = in[i];
  } else {
    for (std::size_t i = size; i-- > 0;) out[i] = in[i];
  }
  return to;
}

void* memcpy(void* to, const void* from, std::size_t size) { return memmove(to, from, size); }

void* memset(void* to, int byte, std::size_t size) {
  count_bytes(size);
  auto* const out = static_cast<unsigned char*>(to);
  for (std::size_t i = 0; i < size; ++i) out[i] = static_cast<unsigned char>(byte);
  return to;
}

std::size_t strlen(const char* text) {
  std::size_t size = 0;
  while (text[size] != '\0') ++size;
  count_bytes(size);
  return size;
}
// NOLINTEND

}  // extern "C"
