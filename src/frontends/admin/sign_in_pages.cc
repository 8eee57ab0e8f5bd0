#include "frontends/admin/sign_in_pages.h"

#include <fmt/format.h>

#include "core/base64.h"
#include "frontends/admin/admin.h"
#include "frontends/content_types.h"
#include "net/http/syntax/percent.h"

namespace patchbay::frontends {
namespace {

constexpr std::string_view kHtml = "text/html; charset=utf-8";
constexpr std::string_view kSignIn = "/oauth/sign-in/";
constexpr std::string_view kCallback = "/oauth/callback/";
constexpr std::string_view kClient = "/oauth/client/";

constexpr std::string_view kStyle =
    "body{font:16px/1.5 system-ui,sans-serif;max-width:36em;margin:4em auto;padding:0 1em}"
    "button{font:inherit;padding:.4em 1.2em}";

// The page is not cached or framed and loads nothing. `form` is the destination that its form may
// have.
std::string page_fields(std::string_view form) {
  return fmt::format(
      "Content-Security-Policy: default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; "
      "frame-ancestors 'none'; form-action 'self' {}\r\n"
      "X-Frame-Options: DENY\r\nX-Content-Type-Options: nosniff\r\n"
      "Referrer-Policy: same-origin\r\nCache-Control: no-store\r\n",
      form);
}

std::string page(std::string_view title, std::string_view body) {
  return fmt::format(
      "<!doctype html>\n<html lang=\"en\"><meta charset=\"utf-8\">"
      "<meta name=\"viewport\" content=\"width=device-width\">"
      "<title>{0}</title><style>{1}</style>\n<h1>{0}</h1>\n{2}\n</html>\n",
      html_escape(title), kStyle, body);
}

constexpr std::string_view kCredentials =
    "<p>Show that it was you: enter the credentials with which you use this gateway.</p>\n"
    "<p><label>Token or password: <input type=\"password\" name=\"secret\" autocomplete=\"off\" "
    "required></label></p>\n"
    "<p><label>User name, if you have a password: <input name=\"user\" "
    "autocomplete=\"off\"></label></p>\n";

std::string page_of(const oauth::SignInPage& sign_in, bool asks_credentials) {
  const std::string upstream = html_escape(sign_in.upstream);
  const bool own = sign_in.caller == Principal().name;
  const std::string caller = own ? "this gateway" : html_escape(sign_in.caller);
  std::string body = fmt::format(
      "<p><b>{}</b> wants to use <b>{}</b> in your name. You will be asked to sign in at <b>{}</b>."
      "</p>\n",
      caller, upstream, html_escape(sign_in.issuer));
  if (!sign_in.scopes.empty()) {
    body += fmt::format("<p>It asks to be allowed: <code>{}</code></p>\n",
                        html_escape(oauth::join_scopes(sign_in.scopes)));
  }
  body += fmt::format(
      "<p>Go on only if you asked for this yourself: from then on {} can do there what you can."
      "</p>\n<form method=\"post\">{}<button>Continue</button></form>",
      caller, asks_credentials ? kCredentials : "");
  return page(fmt::format("Sign in for {}", sign_in.upstream), body);
}

Task<void> refuse(net::HttpExchange& exchange, const Error& why) {
  const std::string text =
      page("Not signed in", fmt::format("<p>{}</p>", html_escape(why.message)));
  const std::string fields = page_fields("");
  co_return co_await exchange.answer(info(why.code).http, kHtml, {text}, fields);
}

}  // namespace

std::string html_escape(std::string_view text) {
  std::string escaped;
  for (const char c : text) {
    switch (c) {
      case '&':
        escaped += "&amp;";
        break;
      case '<':
        escaped += "&lt;";
        break;
      case '>':
        escaped += "&gt;";
        break;
      case '"':
        escaped += "&quot;";
        break;
      case '\'':
        escaped += "&#39;";
        break;
      default:
        escaped += c;
    }
  }
  return escaped;
}

Task<void> SignInPages::handle(net::HttpExchange& exchange) {
  const std::string_view path = exchange.request.path;
  const std::string_view method = exchange.request.method;
  const bool reads = method == "GET" || method == "HEAD";
  const auto rest_after = [&](std::string_view front) {
    auto rest = path.starts_with(front) ? net::percent_decode(path.substr(front.size()))
                                        : Result<std::string>();
    return rest ? *std::move(rest) : std::string();
  };
  if (std::string id = rest_after(kSignIn); !id.empty() && (reads || method == "POST")) {
    auto task = reads ? show(exchange, std::move(id)) : send_on(exchange, std::move(id));
    co_return co_await task;
  }
  if (std::string upstream = rest_after(kCallback); !upstream.empty() && method == "GET") {
    co_return co_await receive(exchange, std::move(upstream));
  }
  if (std::string upstream = rest_after(kClient); !upstream.empty() && reads) {
    co_return co_await introduce_us(exchange, std::move(upstream));
  }
  const Error nothing{Code::not_found, "There is nothing at this path."};
  co_return co_await refuse(exchange, nothing);
}

Task<void> SignInPages::show(net::HttpExchange& exchange, std::string id) {
  auto sign_in = co_await service_.page(std::move(id));
  if (!sign_in) co_return co_await refuse(exchange, sign_in.error());
  const std::string text = page_of(*sign_in, wants_credentials(*sign_in) && !exchange.caller);
  const std::string fields = page_fields(sign_in->goes_to);
  co_return co_await exchange.answer(200, kHtml, {text}, fields);
}

bool SignInPages::wants_credentials(const oauth::SignInPage& sign_in) const {
  return authenticator_.knows_callers() && sign_in.require_credentials;
}

Task<Caller> SignInPages::visitor(net::HttpExchange& exchange) {
  if (exchange.caller) co_return exchange.caller;
  auto form = net::parse_query(exchange.body);
  if (!form) co_return form.error();
  const std::string secret = (*form)["secret"];
  const std::string user = (*form)["user"];
  if (secret.empty()) {
    co_return Error{Code::unauthenticated,
                    "Enter the credentials with which you use this gateway."};
  }
  const std::string basic = user.empty() ? "" : base64_encode(user + ":" + secret);
  PresentedCredentials presented{.from = exchange.peer.address, .where = kSignIn};
  if (user.empty()) presented.token = secret;
  presented.basic = basic;
  co_return co_await authenticator_.identify(presented);
}

Result<void> SignInPages::check_visitor(const Principal& person,
                                        const oauth::SignInPage& sign_in) const {
  const bool for_gateway = sign_in.owner == Principal().id;
  if (for_gateway ? is_admin(person, catalog_) : person.id == sign_in.owner) return ok();
  return Error{Code::forbidden, "this sign-in belongs to another caller"};
}

Task<void> SignInPages::send_on(net::HttpExchange& exchange, std::string id) {
  auto sign_in = co_await service_.page(id);
  if (!sign_in) co_return co_await refuse(exchange, sign_in.error());
  if (wants_credentials(*sign_in)) {
    auto person = co_await visitor(exchange);
    if (!person) co_return co_await refuse(exchange, person.error());
    auto right = check_visitor(**person, *sign_in);
    if (!right) co_return co_await refuse(exchange, right.error());
  }
  auto redirect = co_await service_.authorization_redirect(std::move(id));
  if (!redirect) co_return co_await refuse(exchange, redirect.error());
  const std::string fields =
      fmt::format("Location: {}\r\nSet-Cookie: {}\r\nCache-Control: no-store\r\n", redirect->url,
                  redirect->cookie);
  co_return co_await exchange.answer(303, kHtml, {}, fields);
}

Task<void> SignInPages::receive(net::HttpExchange& exchange, std::string upstream) {
  auto returned = net::parse_query(exchange.request.query);
  if (!returned) co_return co_await refuse(exchange, returned.error());
  std::string cookies(exchange.request.fields.find("Cookie").value_or(""));
  oauth::CallbackRequest request{std::move(upstream), *std::move(returned), std::move(cookies),
                                 exchange.caller, exchange.peer.ip};
  auto done = co_await service_.handle_callback(std::move(request));
  if (!done) co_return co_await refuse(exchange, done.error());
  const std::string text =
      page("Signed in", fmt::format("<p>You have signed in for <b>{}</b>. You can close this "
                                    "window.</p>",
                                    html_escape(*done)));
  const std::string fields = page_fields("");
  co_return co_await exchange.answer(200, kHtml, {text}, fields);
}

Task<void> SignInPages::introduce_us(net::HttpExchange& exchange, std::string upstream) {
  auto document = co_await service_.document(std::move(upstream));
  if (!document) co_return co_await refuse(exchange, document.error());
  co_return co_await exchange.answer(200, kJsonUtf8, {*document, "\n"},
                                     "Cache-Control: max-age=300\r\n");
}

}  // namespace patchbay::frontends
