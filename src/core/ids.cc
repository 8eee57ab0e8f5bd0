#include "core/ids.h"

#include <sys/random.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <vector>

namespace patchbay {
namespace {

constexpr char kDigits[] = "0123456789abcdef";
constexpr std::size_t kUuidBytes = 16;

// Random bytes of one thread, fetched many at a time.
class RandomBytes {
 public:
  const unsigned char* take(std::size_t count) {
    if (kSize - used_ < count) fill();
    used_ += count;
    return bytes_.data() + used_ - count;
  }

 private:
  static constexpr std::size_t kSize = 256;  // getrandom() never returns fewer.

  void fill() {
    if (::getrandom(bytes_.data(), kSize, 0) != static_cast<ssize_t>(kSize)) std::abort();
    used_ = 0;
  }

  std::array<unsigned char, kSize> bytes_{};
  std::size_t used_ = kSize;
};

}  // namespace

std::string random_hex(std::size_t bytes) {
  std::vector<unsigned char> raw(bytes);
  std::size_t got = 0;
  while (got < bytes) {
    const ssize_t n = ::getrandom(raw.data() + got, bytes - got, 0);
    if (n < 0) std::abort();  // Without randomness no session is safe.
    got += static_cast<std::size_t>(n);
  }
  std::string hex;
  hex.reserve(bytes * 2);
  for (const unsigned char byte : raw) {
    hex += kDigits[byte >> 4];
    hex += kDigits[byte & 15];
  }
  return hex;
}

void append_uuid(std::string& out) {
  thread_local RandomBytes random;
  std::array<unsigned char, kUuidBytes> bytes{};
  std::copy_n(random.take(kUuidBytes), kUuidBytes, bytes.begin());
  bytes[6] = (bytes[6] & 0x0f) | 0x40;  // Version 4...
  bytes[8] = (bytes[8] & 0x3f) | 0x80;  // ...of the standard variant.
  constexpr std::array<unsigned char, kUuidBytes> kOffsets{0,  2,  4,  6,  9,  11, 14, 16,
                                                           19, 21, 24, 26, 28, 30, 32, 34};
  const std::size_t before = out.size();
  out.append(36, '-');
  char* const text = out.data() + before;
  for (std::size_t i = 0; i < kUuidBytes; ++i) {
    text[kOffsets[i]] = kDigits[bytes[i] >> 4];
    text[kOffsets[i] + 1U] = kDigits[bytes[i] & 15];
  }
}

std::string random_uuid() {
  std::string text;
  append_uuid(text);
  return text;
}

}  // namespace patchbay
