#include "oauth/token_answer.h"

#include <fmt/format.h>

#include <algorithm>

#include "core/http_token.h"
#include "json/read.h"

namespace patchbay::oauth {
namespace {

constexpr std::size_t kMostText = 300;  // Characters of a message of the other side.
constexpr std::int64_t kLongestToken = 10LL * 365 * 24 * 3600;

Error unusable_answer(std::string why) { return {Code::upstream_failed, std::move(why)}; }

}  // namespace

bool is_sendable(std::string_view token) {
  return !token.empty() && std::ranges::all_of(token, [](char c) { return c > 0x20 && c < 0x7F; });
}

std::string printable(std::string_view raw) {
  std::string text(raw.substr(0, kMostText));
  std::ranges::replace_if(
      text, [](char c) { return static_cast<unsigned char>(c) < 0x20 || c == 0x7F; }, ' ');
  return text;
}

std::string code_of_refusal(std::string_view body) {
  if (!json::check(body)) return {};
  const std::string code = json::string_member(body, "error").value_or("");
  return is_scope(code) ? printable(code) : "";
}

std::string reason_of_refusal(int status, std::string_view body) {
  const std::string code = code_of_refusal(body);
  if (code.empty()) return fmt::format("HTTP status {}", status);
  const std::string more = printable(json::string_member(body, "error_description").value_or(""));
  return fmt::format("{}{}{}", code, more.empty() ? "" : ": ", more);
}

Result<TokenAnswer> parse_token_answer(std::string_view body, bool bearer) {
  auto valid = json::check(body);
  if (!valid || json::type_of(body) != json::Type::object) {
    return unusable_answer("the answer with the token is not a JSON object");
  }
  TokenAnswer answer;
  answer.access = json::string_member(body, "access_token").value_or("");
  if (!is_sendable(answer.access)) {
    return unusable_answer("the answer has no valid `access_token`");
  }
  const std::string type = json::string_member(body, "token_type").value_or("");
  if (bearer && !same_token(type, "Bearer")) {
    return unusable_answer(
        fmt::format("the token is of the type '{}', not Bearer", printable(type)));
  }
  answer.refresh = json::string_member(body, "refresh_token").value_or("");
  answer.issued_type = json::string_member(body, "issued_token_type").value_or("");
  const auto expires = json::member(body, "expires_in");
  if (expires && *expires != "null") {
    // Some servers write the number as a string.
    auto seconds = json::as_double(*expires);
    if (const auto text = json::as_string(*expires)) seconds = json::as_double(*text);
    if (!seconds || !(*seconds >= 0)) return unusable_answer("the answer has a wrong `expires_in`");
    answer.expires =
        std::chrono::seconds(static_cast<std::int64_t>(std::min<double>(*seconds, kLongestToken)));
  }
  if (const auto scope = json::string_member(body, "scope")) answer.scopes = split_scopes(*scope);
  return answer;
}

}  // namespace patchbay::oauth
