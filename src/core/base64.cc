#include "core/base64.h"

#include <array>
#include <cstdint>
#include <cstring>

#include "core/text.h"

namespace patchbay {
namespace {

constexpr std::string_view kPlain =
    "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
constexpr std::string_view kUrl =
    "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";

using Pairs = std::array<std::array<char, 2>, 4096>;

// The two characters for each 12 bits.
constexpr Pairs pairs_of(std::string_view alphabet) {
  Pairs pairs{};
  for (std::size_t bits = 0; bits < pairs.size(); ++bits) {
    pairs[bits] = {alphabet[bits >> 6], alphabet[bits & 63]};
  }
  return pairs;
}
constexpr auto kPlainPairs = pairs_of(kPlain);
constexpr auto kUrlPairs = pairs_of(kUrl);

constexpr std::uint32_t kNotInAlphabet = 1U << 31;  // Of a character that is not in the alphabet.

// The contribution of each character to the 24 bits of four, by its position among them.
using Values = std::array<std::array<std::uint32_t, 256>, 4>;

constexpr Values values_of(std::string_view alphabet) {
  Values values{};
  for (std::size_t position = 0; position < 4; ++position) {
    values[position].fill(kNotInAlphabet);
    for (std::size_t i = 0; i < alphabet.size(); ++i) {
      values[position][static_cast<unsigned char>(alphabet[i])] =
          static_cast<std::uint32_t>(i << (18 - 6 * position));
    }
  }
  return values;
}
constexpr auto kPlainValues = values_of(kPlain);
constexpr auto kUrlValues = values_of(kUrl);

std::string encode(std::string_view bytes, std::string_view alphabet, const Pairs& pairs) {
  const std::size_t rest = bytes.size() % 3;
  std::string text;
  stretch(text, bytes.size() / 3 * 4 + (rest > 0 ? rest + 1 : 0));
  const auto byte = [&bytes](std::size_t i) {
    return static_cast<std::uint32_t>(static_cast<unsigned char>(bytes[i]));
  };
  char* out = text.data();
  std::size_t at = 0;
  for (; at + 3 <= bytes.size(); at += 3, out += 4) {
    const std::uint32_t bits = byte(at) << 16 | byte(at + 1) << 8 | byte(at + 2);
    std::memcpy(out, pairs[bits >> 12].data(), 2);
    std::memcpy(out + 2, pairs[bits & 0xFFF].data(), 2);
  }
  if (rest > 0) {
    const std::uint32_t bits = byte(at) << 16 | (rest == 2 ? byte(at + 1) << 8 : 0);
    for (std::size_t i = 0; i <= rest; ++i) out[i] = alphabet[bits >> (18 - 6 * i) & 63];
  }
  return text;
}

std::optional<std::string> decode(std::string_view text, const Values& values) {
  const std::size_t rest = text.size() % 4;
  if (rest == 1) return std::nullopt;
  std::string bytes;
  stretch(bytes, text.size() / 4 * 3 + (rest > 0 ? rest - 1 : 0));
  const auto value = [&](std::size_t position, std::size_t i) {
    return values[position][static_cast<unsigned char>(text[i])];
  };
  char* out = bytes.data();
  std::uint32_t wrong = 0;  // Checked once, at the end, because most texts are valid.
  std::size_t at = 0;
  for (; at + 4 <= text.size(); at += 4, out += 3) {
    const std::uint32_t bits =
        value(0, at) | value(1, at + 1) | value(2, at + 2) | value(3, at + 3);
    wrong |= bits;
    out[0] = static_cast<char>(bits >> 16);
    out[1] = static_cast<char>(bits >> 8);
    out[2] = static_cast<char>(bits);
  }
  if (rest > 0) {
    const std::uint32_t bits = value(0, at) | value(1, at + 1) | (rest == 3 ? value(2, at + 2) : 0);
    // The remaining bits belong to no byte and must be zero.
    const bool is_empty = bits << (rest == 3 ? 24 : 16) == 0;
    wrong |= is_empty ? bits : kNotInAlphabet;
    out[0] = static_cast<char>(bits >> 16);
    if (rest == 3) out[1] = static_cast<char>(bits >> 8);
  }
  if (wrong & kNotInAlphabet) return std::nullopt;
  return bytes;
}

}  // namespace

std::string base64_encode(std::string_view bytes) {
  std::string text = encode(bytes, kPlain, kPlainPairs);
  text.append((4 - text.size() % 4) % 4, '=');
  return text;
}

std::optional<std::string> base64_decode(std::string_view text) {
  if (text.size() % 4 != 0) return std::nullopt;
  for (int i = 0; i < 2 && text.ends_with('='); ++i) text.remove_suffix(1);
  return decode(text, kPlainValues);
}

std::string base64url_encode(std::string_view bytes) { return encode(bytes, kUrl, kUrlPairs); }

std::optional<std::string> base64url_decode(std::string_view text) {
  return decode(text, kUrlValues);
}

}  // namespace patchbay
