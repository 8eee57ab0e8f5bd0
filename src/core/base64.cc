#include "core/base64.h"

#include <array>
#include <cstdint>

namespace patchbay {
namespace {

constexpr std::string_view kPlain =
    "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
constexpr std::string_view kUrl =
    "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";

constexpr std::array<std::int8_t, 256> values_of(std::string_view alphabet) {
  std::array<std::int8_t, 256> values{};
  values.fill(-1);
  for (std::size_t i = 0; i < alphabet.size(); ++i) {
    values[static_cast<unsigned char>(alphabet[i])] = static_cast<std::int8_t>(i);
  }
  return values;
}
constexpr auto kPlainValues = values_of(kPlain);
constexpr auto kUrlValues = values_of(kUrl);

std::string encode(std::string_view bytes, std::string_view alphabet) {
  std::string text;
  text.reserve((bytes.size() + 2) / 3 * 4);
  std::uint32_t bits = 0;
  int count = 0;
  for (const char byte : bytes) {
    bits = bits << 8 | static_cast<unsigned char>(byte);
    for (count += 8; count >= 6;) {
      count -= 6;
      text += alphabet[bits >> count & 63];
    }
  }
  if (count > 0) text += alphabet[bits << (6 - count) & 63];
  return text;
}

std::optional<std::string> decode(std::string_view text,
                                  const std::array<std::int8_t, 256>& values) {
  if (text.size() % 4 == 1) return std::nullopt;
  std::string bytes;
  bytes.reserve(text.size() * 3 / 4);
  std::uint32_t bits = 0;
  int count = 0;
  for (const char c : text) {
    const int value = values[static_cast<unsigned char>(c)];
    if (value < 0) return std::nullopt;
    bits = bits << 6 | static_cast<std::uint32_t>(value);
    count += 6;
    if (count >= 8) {
      count -= 8;
      bytes += static_cast<char>(bits >> count & 0xFF);
    }
  }
  // What is left over is not part of any byte and must be empty.
  if (bits & ((1U << count) - 1)) return std::nullopt;
  return bytes;
}

}  // namespace

std::string base64_encode(std::string_view bytes) {
  std::string text = encode(bytes, kPlain);
  text.append((4 - text.size() % 4) % 4, '=');
  return text;
}

std::optional<std::string> base64_decode(std::string_view text) {
  if (text.size() % 4 != 0) return std::nullopt;
  for (int i = 0; i < 2 && text.ends_with('='); ++i) text.remove_suffix(1);
  return decode(text, kPlainValues);
}

std::string base64url_encode(std::string_view bytes) { return encode(bytes, kUrl); }

std::optional<std::string> base64url_decode(std::string_view text) {
  return decode(text, kUrlValues);
}

}  // namespace patchbay
