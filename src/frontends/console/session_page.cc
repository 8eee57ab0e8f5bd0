#include "frontends/console/session_page.h"

#include <fmt/format.h>

#include "frontends/auth/session_request.h"
#include "frontends/content_types.h"
#include "frontends/error_body.h"
#include "frontends/time_json.h"
#include "json/invisible.h"
#include "json/write.h"
#include "observe/log.h"
#include "policy/audit/record.h"

namespace patchbay::frontends {
namespace {

// How a caller without a session has been authenticated.
std::string_view method_of(const Principal& caller) {
  return caller.auth_method == AuthMethod::jwt ? name_of(AuthMethod::token)
                                               : name_of(caller.auth_method);
}

}  // namespace

Task<void> SessionPage::handle(net::HttpExchange& exchange) {
  if (!enabled_ || !authenticator_.serves()) {
    co_return co_await authenticator_.answer_nothing(exchange);
  }
  const std::string_view method = exchange.request.method;
  auto task = method == "POST"     ? sign_in(exchange)
              : method == "DELETE" ? sign_out(exchange)
                                   : show(exchange);
  co_return co_await task;
}

std::string SessionPage::signed_out() const {
  std::string methods;
  const auto add = [&](bool offered, std::string_view name) {
    if (offered) methods += fmt::format("{}\"{}\"", methods.empty() ? "" : ",", name);
  };
  if (const auto* const auth = authenticator_.settings()) {
    add(!auth->tokens.empty() || !auth->token_file.empty() || !auth->jwt.empty(), "token");
    add(auth->basic.has_value(), "basic");
    add(has_oidc_, "oidc");
    add(!auth->certificates.empty(), "certificate");
  }
  return fmt::format("{{\"signed_in\":false,\"methods\":[{}]}}\n", methods);
}

std::string SessionPage::signed_in(const Principal& caller, std::string_view method,
                                   std::string_view csrf, policy::WallTime ends) const {
  std::string text;
  json::Object object(text);
  object.raw("signed_in", "true");
  object.raw("caller", json::quote(caller.name));
  object.raw("caller_id", json::quote(caller.id));
  object.raw("admin", catalog_.is_admin(caller) ? "true" : "false");
  object.raw("auth", json::quote(method));
  object.raw("csrf", json::quote(csrf));
  object.raw("expires", time_json(ends));
  object.end();
  json::escape_invisible(text);
  return text + "\n";
}

Task<void> SessionPage::show(net::HttpExchange& exchange) {
  std::string text = signed_out();
  if (exchange.caller) {
    const auto session = authenticator_.session(exchange);
    const auto csrf = exchange.request.fields.find(kCsrfHeader).value_or("");
    text = session ? signed_in(*exchange.caller, session->method, csrf, session->ends)
                   : signed_in(*exchange.caller, method_of(*exchange.caller), "",
                               exchange.caller->until);
  }
  co_return co_await exchange.answer(200, kJsonUtf8, {text}, "Vary: Cookie, Authorization\r\n");
}

Task<void> SessionPage::sign_in(net::HttpExchange& exchange) {
  const net::HttpRequest& request = exchange.request;
  // Nobody may be signed in by a page of another origin, as somebody else.
  if (!is_script(request) || !is_same_origin(request)) {
    const std::string error = error_json("sign in with the console's own page (X-Patchbay-CSRF)");
    co_return co_await exchange.answer(403, kJsonUtf8, {error});
  }
  if (!exchange.caller) co_return co_await authenticator_.answer_nothing(exchange);
  if (!authenticator_.has_secret(exchange)) co_return co_await show(exchange);
  const std::string credentials(request.fields.find("Authorization").value_or(""));
  const std::string_view method = exchange.caller->auth_method == AuthMethod::basic
                                      ? name_of(AuthMethod::basic)
                                      : name_of(AuthMethod::token);
  auto secrets = begin(exchange, exchange.caller, credentials, method);
  if (!secrets) {
    const std::string error = error_json(secrets.error().message);
    co_return co_await exchange.answer(503, kJsonUtf8, {error}, "Retry-After: 60\r\n");
  }
  const auto found = authenticator_.sessions().find({secrets->cookie, secrets->csrf});
  const std::string text = signed_in(*exchange.caller, method, secrets->csrf, found.ends);
  const std::string fields = cookie_field(exchange, secrets->cookie, uses_tls(exchange));
  co_return co_await exchange.answer(200, kJsonUtf8, {text}, fields);
}

Result<BrowserSessions::Secrets> SessionPage::begin(const net::HttpExchange& exchange,
                                                    const Caller& caller,
                                                    std::string_view credentials,
                                                    std::string_view method) {
  auto secrets = authenticator_.sessions().start(caller, credentials, method);
  if (!secrets) return secrets;
  // The session that the browser had is of no use any more.
  const auto before = presented_session(exchange);
  if (!before.cookie.empty()) authenticator_.sessions().end(before.cookie);
  note(exchange, *caller, "begin", method);
  return secrets;
}

Task<void> SessionPage::sign_out(net::HttpExchange& exchange) {
  const auto presented = presented_session(exchange);
  const auto found = authenticator_.sessions().find(presented);
  if (found.standing == BrowserSessions::Standing::forged) {
    const std::string error = error_json("only the console's own page can end its session");
    co_return co_await exchange.answer(403, kJsonUtf8, {error});
  }
  if (found.standing == BrowserSessions::Standing::good) {
    authenticator_.sessions().end(presented.cookie);
    if (exchange.caller) note(exchange, *exchange.caller, "end", found.method);
  }
  const std::string text = signed_out();
  const std::string fields = cookie_field(exchange, "", uses_tls(exchange));
  co_return co_await exchange.answer(200, kJsonUtf8, {text}, fields);
}

std::string SessionPage::cookie_field(const net::HttpExchange& exchange, std::string_view cookie,
                                      bool secure) const {
  const auto seconds = std::chrono::duration_cast<std::chrono::seconds>(timeout_).count();
  return fmt::format("Set-Cookie: {}={}; Path=/; Max-Age={}; HttpOnly; SameSite=Strict{}\r\n",
                     session_cookie_name(exchange.request.host, secure), cookie,
                     cookie.empty() ? 0 : seconds, secure ? "; Secure" : "");
}

void SessionPage::note(const net::HttpExchange& exchange, const Principal& caller,
                       std::string_view what, std::string_view method) {
  auto record = policy::event_record(policy::kLogInEvent, caller);
  record.auth_method = method;
  record.from = exchange.peer.ip;
  record.frontend = "console";
  record.method = what;
  record.target = exchange.request.path;
  record.decision = "allow";
  recorder_.event(std::move(record));
  log::Line(log::Level::info, what == "begin" ? "console session begun" : "console session ended")
      .add("who", caller.name)
      .add("auth_method", method)
      .add("from", exchange.peer.ip);
}

}  // namespace patchbay::frontends
