#include "policy/auth/token_hash.h"

#include <fmt/format.h>
#include <openssl/crypto.h>
#include <openssl/evp.h>

#include <algorithm>
#include <charconv>

#include "core/base64.h"
#include "core/ids.h"

namespace patchbay::policy {
namespace {

constexpr std::string_view kPrefix = "pb_";
constexpr std::size_t kId = 10;      // Characters.
constexpr std::size_t kSecret = 64;  // Characters: 256 bits in hexadecimal.
constexpr std::size_t kSalt = 16;
constexpr std::size_t kKey = 32;
constexpr std::uint64_t kMostMemory = std::uint64_t{64} << 20;
constexpr std::string_view kWrong =
    "is not the hash of a token; `patchbay token hash` makes one of a token on stdin";

bool is_hex(std::string_view text) {
  return std::ranges::all_of(
      text, [](char c) { return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f'); });
}

// Consumes `name=number` and the following text up to `end`.
std::optional<int> take_number(std::string_view& text, std::string_view name, char end) {
  if (!text.starts_with(name)) return std::nullopt;
  text.remove_prefix(name.size());
  int number = 0;
  const auto [stop, fault] = std::from_chars(text.data(), text.data() + text.size(), number);
  text.remove_prefix(static_cast<std::size_t>(stop - text.data()));
  if (fault != std::errc() || text.empty() || text.front() != end) return std::nullopt;
  text.remove_prefix(1);
  return number;
}

std::string random_bytes(std::size_t count) {
  const std::string hex = random_hex(count);
  std::string bytes;
  for (std::size_t i = 0; i < hex.size(); i += 2) {
    unsigned value = 0;
    std::from_chars(hex.data() + i, hex.data() + i + 2, value, 16);
    bytes += static_cast<char>(value);
  }
  return bytes;
}

}  // namespace

NewToken make_token() {
  const std::string id = random_hex(kId / 2);
  return {id, fmt::format("{}{}_{}", kPrefix, id, random_hex(kSecret / 2))};
}

std::string_view token_id(std::string_view token) {
  if (token.size() != kPrefix.size() + kId + 1 + kSecret || !token.starts_with(kPrefix)) return {};
  const auto id = token.substr(kPrefix.size(), kId);
  const auto secret = token.substr(kPrefix.size() + kId + 1);
  const bool good = token[kPrefix.size() + kId] == '_' && is_hex(id) && is_hex(secret);
  return good ? id : std::string_view();
}

Result<TokenHash> TokenHash::of(std::string_view token) {
  TokenHash hash;
  hash.id_ = token_id(token);
  hash.salt_ = random_bytes(kSalt);
  auto key = hash.key_of(token);
  if (!key) return Error{Code::internal, "scrypt failed; there may not be enough memory"};
  hash.key_ = *std::move(key);
  return hash;
}

Result<TokenHash> TokenHash::parse(std::string_view text) {
  const Error wrong{Code::invalid_params, std::string(kWrong)};
  TokenHash hash;
  const auto dollar = text.find('$');
  if (dollar == std::string_view::npos) return wrong;
  hash.id_ = text.substr(0, dollar);
  if (!hash.id_.empty() && (hash.id_.size() != kId || !is_hex(hash.id_))) return wrong;
  text.remove_prefix(dollar);
  constexpr std::string_view kKind = "$scrypt$";
  if (!text.starts_with(kKind)) return wrong;
  text.remove_prefix(kKind.size());
  const auto log_n = take_number(text, "ln=", ',');
  const auto r = log_n ? take_number(text, "r=", ',') : std::nullopt;
  const auto p = r ? take_number(text, "p=", '$') : std::nullopt;
  const auto middle = text.find('$');
  if (!p || middle == std::string_view::npos) return wrong;
  const auto salt = base64url_decode(text.substr(0, middle));
  const auto key = base64url_decode(text.substr(middle + 1));
  const bool fair = *log_n >= 10 && *log_n <= 20 && *r >= 1 && *r <= 32 && *p >= 1 && *p <= 4 &&
                    (std::uint64_t{128} << *log_n) * static_cast<std::uint64_t>(*r) < kMostMemory;
  if (!fair || !salt || salt->size() < 8 || salt->size() > 64 || !key || key->size() != kKey) {
    return wrong;
  }
  hash.log_n_ = *log_n;
  hash.r_ = *r;
  hash.p_ = *p;
  hash.salt_ = *salt;
  hash.key_ = *key;
  return hash;
}

std::string TokenHash::text() const {
  return fmt::format("{}$scrypt$ln={},r={},p={}${}${}", id_, log_n_, r_, p_,
                     base64url_encode(salt_), base64url_encode(key_));
}

bool TokenHash::fits(std::string_view token) const {
  const auto key = key_of(token);
  return key && key->size() == key_.size() &&
         CRYPTO_memcmp(key->data(), key_.data(), key_.size()) == 0;
}

std::optional<std::string> TokenHash::key_of(std::string_view token) const {
  std::string key(kKey, '\0');
  const int made = EVP_PBE_scrypt(
      token.data(), token.size(), reinterpret_cast<const unsigned char*>(salt_.data()),
      salt_.size(), std::uint64_t{1} << log_n_, static_cast<std::uint64_t>(r_),
      static_cast<std::uint64_t>(p_), 2 * kMostMemory, reinterpret_cast<unsigned char*>(key.data()),
      key.size());
  if (made != 1) return std::nullopt;
  return key;
}

}  // namespace patchbay::policy
