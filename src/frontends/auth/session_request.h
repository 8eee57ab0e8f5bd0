// What a request of a browser says about its session, and about the page that has sent it. Pure.
#pragma once

#include <string>
#include <string_view>

#include "frontends/auth/browser_sessions.h"
#include "net/http/server/exchange.h"

namespace patchbay::frontends {

// The header with the second secret of a session. Scripts of the console send it with every
// request.
inline constexpr std::string_view kCsrfHeader = "X-Patchbay-CSRF";

// A script of our own page has sent the request, or a program that acts like one: pages of other
// origins cannot add the header.
bool is_script(const net::HttpRequest& request);

// False if the browser states that a page of another origin has sent it: another port is another
// origin.
bool is_same_origin(const net::HttpRequest& request);

// The secrets of the session. The cookie is empty if there is none; the other secret is, if a page
// of another origin has sent the request.
BrowserSessions::Presented presented_session(const net::HttpExchange& exchange);

// True if the browser reaches the gateway with TLS, though a proxy may end it before us.
bool uses_tls(const net::HttpExchange& exchange);

}  // namespace patchbay::frontends
