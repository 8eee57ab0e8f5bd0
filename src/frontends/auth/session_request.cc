#include "frontends/auth/session_request.h"

#include "core/text.h"

namespace patchbay::frontends {

bool is_script(const net::HttpRequest& request) {
  return request.fields.find(kCsrfHeader).has_value();
}

bool is_same_origin(const net::HttpRequest& request) {
  const auto site = request.fields.find("Sec-Fetch-Site");
  if (site && *site != "same-origin") return false;
  const auto origin = request.fields.find("Origin");
  if (!origin) return true;
  const auto scheme = origin->find("://");
  return scheme != std::string_view::npos &&
         ascii_lower(origin->substr(scheme + 3)) == ascii_lower(request.host);
}

BrowserSessions::Presented presented_session(const net::HttpExchange& exchange) {
  const net::HttpRequest& request = exchange.request;
  const auto cookies = request.fields.find("Cookie");
  if (!cookies || request.fields.count("Cookie") != 1) return {};
  // Somebody opens an address: no page can send the other secret then, and the browser may ask for
  // a password.
  if (request.fields.find("Sec-Fetch-Mode") == "navigate" && !is_script(request)) return {};
  BrowserSessions::Presented presented;
  presented.cookie = cookie_value(*cookies, session_cookie_name(request.host, true));
  if (presented.cookie.empty() && !exchange.secure()) {
    presented.cookie = cookie_value(*cookies, session_cookie_name(request.host, false));
  }
  if (is_same_origin(request) && request.fields.count(kCsrfHeader) == 1) {
    presented.csrf = *request.fields.find(kCsrfHeader);
  }
  return presented;
}

bool uses_tls(const net::HttpExchange& exchange) {
  const auto origin = exchange.request.fields.find("Origin");
  return exchange.secure() || (origin && origin->starts_with("https://"));
}

}  // namespace patchbay::frontends
