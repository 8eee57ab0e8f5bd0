#include "oauth/no_token.h"

#include <fmt/format.h>

#include "json/read.h"

namespace patchbay::oauth {
namespace {

constexpr std::string_view kSignIn = "sign_in";
constexpr std::string_view kNoToken = "no_token";

std::string data_of(const std::string& upstream, std::string_view reason) {
  return fmt::format(R"({{"reason":"{}","upstream":{}}})", reason, json::quote(upstream));
}

bool has_reason(const Error& error, std::string_view reason) {
  return !error.data.empty() && json::string_member(error.data, "reason") == reason;
}

}  // namespace

Error sign_in_wanted(const std::string& upstream, std::string_view why) {
  return {Code::forbidden, fmt::format("{} wants you to sign in{}", upstream, why),
          data_of(upstream, kSignIn)};
}

Error no_token(const std::string& upstream, const Error& why) {
  if (why.code == Code::cancelled || wants_sign_in(why)) return why;
  if (why.code == Code::forbidden) return {why.code, why.message, data_of(upstream, kNoToken)};
  return {Code::upstream_failed, fmt::format("there is no token for it: {}", why.message),
          data_of(upstream, kNoToken)};
}

bool wants_sign_in(const Error& error) {
  return error.code == Code::forbidden && has_reason(error, kSignIn);
}

bool lacks_token(const Error& error) {
  return has_reason(error, kSignIn) || has_reason(error, kNoToken);
}

}  // namespace patchbay::oauth
