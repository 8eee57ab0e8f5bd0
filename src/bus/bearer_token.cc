#include "bus/bearer_token.h"

#include <algorithm>
#include <array>
#include <chrono>

#include "bus/rdkafka.h"
#include "config/file.h"
#include "core/base64.h"
#include "core/text.h"
#include "json/read.h"

namespace patchbay::bus {
namespace {

constexpr std::size_t kMostToken = 64 << 10;
constexpr std::int64_t kHour = 3'600'000;
constexpr double kLastSecond = 253'402'300'799;  // Of the year 9999.

// The claims of a JWT; empty if the token is none.
std::string claims_of(std::string_view token) {
  const auto first = token.find('.');
  if (first == std::string_view::npos) return {};
  const auto second = token.find('.', first + 1);
  auto decoded = base64url_decode(token.substr(first + 1, second - first - 1));
  return decoded && json::check(*decoded) ? *std::move(decoded) : "";
}

}  // namespace

BearerToken describe_token(std::string text, std::int64_t now) {
  BearerToken token{std::move(text), now + kHour, "patchbay"};
  const std::string claims = claims_of(token.value);
  if (const auto until = json::as_double(json::member(claims, "exp").value_or(""))) {
    token.expires = static_cast<std::int64_t>(std::clamp(*until, 0.0, kLastSecond) * 1000);
  }
  if (auto subject = json::string_member(claims, "sub")) token.principal = *std::move(subject);
  return token;
}

Result<BearerToken> read_token(const BearerSource& source, std::int64_t now) {
  std::string text = source.token;
  if (!source.file.empty()) {
    auto file = config::read_trusted_file(source.file, kMostToken);
    if (!file) return Error{Code::unavailable, source.file + " " + file.error().message};
    text = *std::move(file);
  }
  text = std::string(trimmed(text));
  if (text.empty()) return Error{Code::unavailable, "the bearer token is empty"};
  return describe_token(std::move(text), now);
}

void give_token(rd_kafka_s* client, const BearerSource& source) {
  const auto now = std::chrono::duration_cast<std::chrono::milliseconds>(
      std::chrono::system_clock::now().time_since_epoch());
  auto token = read_token(source, now.count());
  if (!token) {
    rd_kafka_oauthbearer_set_token_failure(client, token.error().message.c_str());
    return;
  }
  std::array<char, 512> why{};
  if (rd_kafka_oauthbearer_set_token(client, token->value.c_str(), token->expires,
                                     token->principal.c_str(), nullptr, 0, why.data(),
                                     why.size())) {
    rd_kafka_oauthbearer_set_token_failure(client, why.data());
  }
}

}  // namespace patchbay::bus
