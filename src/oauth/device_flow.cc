#include "oauth/device_flow.h"

#include <fmt/format.h>

#include <algorithm>

#include "async/one_shot.h"
#include "json/read.h"

namespace patchbay::oauth {
namespace {

using std::chrono::seconds;

constexpr std::string_view kGrant = "urn:ietf:params:oauth:grant-type:device_code";
constexpr std::int64_t kLongestCode = 3600;    // Maximum lifetime of a code in seconds,
constexpr std::int64_t kSlowest = 60;          // and maximum polling interval.
constexpr seconds kSlowDown{5};                // Added to the interval on `slow_down`.
constexpr std::size_t kMostCharacters = 2000;  // Of text for a person.

// It is printed on a terminal or in a log.
bool is_showable(std::string_view text) {
  return text.size() <= kMostCharacters &&
         std::ranges::all_of(text, [](char c) { return c >= 0x20 && c < 0x7F; });
}

seconds bounded(std::string_view body, std::string_view member, std::int64_t usual,
                std::int64_t most) {
  const auto raw = json::member(body, member);
  const auto given = raw ? json::as_int(*raw) : std::nullopt;
  return seconds(std::clamp<std::int64_t>(given.value_or(usual), 1, most));
}

Task<Fetched> post(const Fetcher& fetcher, const ServerMetadata& server, const Client& client,
                   std::string url, Form form) {
  auto fields = prove(client, server, form);
  if (!fields) co_return fields.error();
  *fields += "Content-Type: application/x-www-form-urlencoded\r\n";
  co_return co_await fetcher.post(std::move(url), *std::move(fields), form.text());
}

Error refused(const std::string& url, const Fetched& fetched) {
  return {Code::upstream_failed,
          fmt::format("{} refuses: {}", url, reason_of_refusal(fetched.status, fetched.body))};
}

}  // namespace

Result<DeviceCode> parse_device_code(std::string_view body) {
  const Error unusable{Code::upstream_failed,
                       "the answer of the device endpoint lacks the code or the link"};
  if (!json::check(body)) return unusable;
  const auto text = [&](std::string_view member) {
    return json::string_member(body, member).value_or("");
  };
  DeviceCode code;
  code.device = text("device_code");
  code.user = text("user_code");
  code.url = text("verification_uri");
  code.link = text("verification_uri_complete");
  code.expires = bounded(body, "expires_in", 600, kLongestCode);
  code.interval = bounded(body, "interval", 5, kSlowest);
  if (code.device.empty() || code.user.empty() || !net::parse_url(code.url)) return unusable;
  if (!is_showable(code.user) || !is_showable(code.url)) return unusable;
  if (!is_showable(code.link) || !net::parse_url(code.link)) code.link.clear();
  return code;
}

std::string sign_in_message(const DeviceCode& code) {
  if (!code.link.empty()) {
    return fmt::format("to sign in, open {} and check that the code is {}", code.link, code.user);
  }
  return fmt::format("to sign in, open {} and enter the code {}", code.url, code.user);
}

Task<DeviceCode> ask_device_code(const Fetcher& fetcher, const ServerMetadata& server,
                                 const Client& client, std::string scopes, std::string resource) {
  Form form;
  form.add("scope", scopes).add("resource", resource);
  auto fetched = co_await post(fetcher, server, client, server.device_endpoint, std::move(form));
  if (!fetched) co_return fetched.error();
  if (!fetched->good()) co_return refused(server.device_endpoint, *fetched);
  co_return parse_device_code(fetched->body);
}

Task<TokenAnswer> wait_for_sign_in(const Fetcher& fetcher, const ServerMetadata& server,
                                   const Client& client, DeviceCode code) {
  const Deadline end = here().now() + code.expires;
  for (;;) {
    auto slept = co_await sleep_until(std::min(end, here().now() + code.interval));
    if (!slept) co_return slept.error();
    if (here().now() >= end) co_return Error{Code::timeout, "nobody signed in in time"};
    Form form;
    form.add("grant_type", kGrant).add("device_code", code.device);
    auto fetched = co_await post(fetcher, server, client, server.token_endpoint, std::move(form));
    if (!fetched) {
      // The server may be back a moment later, while the code is still valid.
      if (fetched.error().code == Code::cancelled) co_return fetched.error();
      continue;
    }
    if (fetched->good()) co_return parse_token_answer(fetched->body);
    const std::string why = code_of_refusal(fetched->body);
    if (why == "slow_down") code.interval += kSlowDown;
    if (why == "slow_down" || why == "authorization_pending") continue;
    if (why == "access_denied") co_return Error{Code::forbidden, "the person refused to sign in"};
    if (why == "expired_token") co_return Error{Code::timeout, "nobody signed in in time"};
    co_return refused(server.token_endpoint, *fetched);
  }
}

}  // namespace patchbay::oauth
