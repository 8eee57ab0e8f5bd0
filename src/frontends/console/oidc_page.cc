#include "frontends/console/oidc_page.h"

#include <fmt/format.h>
#include <openssl/crypto.h>

#include <algorithm>

#include "frontends/auth/session_request.h"
#include "json/read.h"
#include "json/write.h"
#include "net/http/syntax/percent.h"
#include "oauth/discovery.h"
#include "oauth/pkce.h"
#include "oauth/token_request.h"
#include "observe/log.h"

namespace patchbay::frontends {
namespace {

constexpr std::string_view kCallback = "/console/api/oidc/callback";
constexpr std::string_view kConsolePath = "/console/";
constexpr std::string_view kContext = "console sign-in";
constexpr std::string_view kMethod = "oidc";
constexpr std::chrono::minutes kServerAge{10};
constexpr std::size_t kMostPage = 512;  // Characters of a path below /console/.

Error failed(std::string why) { return {Code::forbidden, std::move(why)}; }

bool same_secret(std::string_view a, std::string_view b) {
  return a.size() == b.size() && !a.empty() && CRYPTO_memcmp(a.data(), b.data(), a.size()) == 0;
}

// A view of the console, and nothing else: no other host, no second line in a header.
std::string page_of(const oauth::Returned& query) {
  const auto given = query.find("to");
  if (given == query.end()) return std::string(kConsolePath);
  const std::string& page = given->second;
  const bool plain = std::ranges::all_of(page, [](unsigned char c) {
    return std::isalnum(c) ||
           std::string_view("/-_.?=&").find(static_cast<char>(c)) != std::string_view::npos;
  });
  return plain && page.starts_with(kConsolePath) && page.size() <= kMostPage
             ? page
             : std::string(kConsolePath);
}

Task<void> go_to(net::HttpExchange& exchange, std::string url, std::string fields = {}) {
  const std::string all = fmt::format(
      "Location: {}\r\n{}Cache-Control: no-store\r\nReferrer-Policy: no-referrer\r\n", url, fields);
  co_return co_await exchange.answer(303, "", {}, all);
}

std::int64_t seconds_now() {
  const auto now = std::chrono::system_clock::now().time_since_epoch();
  return std::chrono::duration_cast<std::chrono::seconds>(now).count();
}

}  // namespace

void OidcPage::update(bool enabled, std::shared_ptr<const OidcClient> client) {
  enabled_ = enabled;
  client_ = std::move(client);
  server_.reset();
}

Task<void> OidcPage::handle(net::HttpExchange& exchange) {
  if (!enabled_ || !authenticator_.serves()) {
    co_return co_await authenticator_.answer_nothing(exchange);
  }
  if (!client_ || !authenticator_.settings()) {
    co_return co_await exchange.answer(
        404, net::kJson, {"{\"error\":\"nobody signs in at an issuer here (console.oidc)\"}\n"});
  }
  auto task = exchange.request.path == kCallback ? receive(exchange) : send_on(exchange);
  co_return co_await task;
}

// The metadata of the issuer. A failure is not asked for again at once, however many want to know.
Task<oauth::ServerMetadata> OidcPage::server(Client client) {
  if (server_ && here().now() < server_until_) co_return *server_;
  if (requests_ >= client->settings.max_requests) {
    co_return Error{Code::overloaded, "too many people are signing in; try again later"};
  }
  ++requests_;
  auto looking = oauth::discover_server(*client->fetcher, client->settings.issuer);
  auto found = co_await looking;
  --requests_;
  if (!found) co_return found.error();
  const auto& methods = found->challenges;
  if (found->authorization_endpoint.empty() ||
      std::ranges::find(methods, "S256") == methods.end()) {
    co_return failed(fmt::format("{} does not support PKCE with S256", found->issuer));
  }
  // The browser is sent there.
  auto endpoint = net::parse_url(found->authorization_endpoint);
  const std::string fault =
      endpoint ? oauth::fault_of_path(*endpoint, true) : endpoint.error().message;
  if (!fault.empty()) co_return failed(fault);
  if (client == client_) {
    server_ = *found;
    server_until_ = here().now() + kServerAge;
  }
  co_return found;
}

bool OidcPage::is_secure(const net::HttpExchange& exchange) const {
  return uses_tls(exchange) || client_->base.starts_with("https://");
}

oauth::SignIn OidcPage::sign_in_of(const OidcClient& client, const net::HttpExchange& exchange,
                                   oauth::ServerMetadata server) const {
  oauth::SignIn sign_in;
  sign_in.found.server = std::move(server);
  sign_in.found.resource = client.settings.resource;
  sign_in.client.id = client.settings.client_id;
  sign_in.client.secret = client.settings.client_secret;
  if (sign_in.client.secret.empty()) sign_in.client.auth = oauth::ClientAuth::none;
  sign_in.scopes = client.settings.scopes;
  const std::string base =
      client.base.empty()
          ? fmt::format("{}://{}", is_secure(exchange) ? "https" : "http", exchange.request.host)
          : client.base;
  sign_in.redirect = fmt::format("{}{}", base, kCallback);
  return sign_in;
}

// Returning from another site: the browser sends it with links, unlike that of the session.
std::string OidcPage::flow_cookie(const net::HttpExchange& exchange, std::string_view value) const {
  const bool secure = is_secure(exchange);
  const auto time = std::chrono::duration_cast<std::chrono::seconds>(
      std::chrono::nanoseconds(client_->settings.sign_in_time));
  return fmt::format("Set-Cookie: {}_oidc={}; Path=/; Max-Age={}; HttpOnly; SameSite=Lax{}\r\n",
                     session_cookie_name(exchange.request.host, secure), value,
                     value.empty() ? 0 : time.count(), secure ? "; Secure" : "");
}

Task<void> OidcPage::send_on(net::HttpExchange& exchange) {
  auto query = net::parse_query(exchange.request.query);
  const std::string page = query ? page_of(*query) : std::string(kConsolePath);
  const Client client = client_;
  auto looking = server(client);
  auto found = co_await looking;
  if (!found) {
    const std::string why = net::percent_encode(found.error().message);
    auto task = go_to(exchange, fmt::format("{}#sign_in_error={}", kConsolePath, why));
    co_return co_await task;
  }
  oauth::SignIn sign_in = sign_in_of(*client, exchange, *std::move(found));
  const std::string url = oauth::begin(sign_in);
  const auto time = std::chrono::duration_cast<std::chrono::seconds>(
      std::chrono::nanoseconds(client->settings.sign_in_time));
  std::string flow;
  json::Object object(flow);
  object.raw("state", json::quote(sign_in.state));
  object.raw("verifier", json::quote(sign_in.verifier));
  object.raw("page", json::quote(page));
  object.raw("until", std::to_string(seconds_now() + time.count()));
  object.end();
  auto task = go_to(exchange, url, flow_cookie(exchange, client->sealer.seal(flow, kContext)));
  co_return co_await task;
}

Result<OidcPage::Begun> OidcPage::begun_by(const net::HttpExchange& exchange) const {
  const Error none = failed("this browser has not begun to sign in, or has taken too long");
  const auto cookies = exchange.request.fields.find("Cookie").value_or("");
  const std::string name =
      session_cookie_name(exchange.request.host, is_secure(exchange)) + "_oidc";
  auto flow = client_->sealer.open(cookie_value(cookies, name), kContext);
  if (!flow) return none;
  const auto until = json::member(*flow, "until");
  if (!until || seconds_now() >= json::as_int(*until).value_or(0)) return none;
  return Begun{json::string_member(*flow, "state").value_or(""),
               json::string_member(*flow, "verifier").value_or(""),
               json::string_member(*flow, "page").value_or("")};
}

Task<void> OidcPage::receive(net::HttpExchange& exchange) {
  auto returned = net::parse_query(exchange.request.query);
  auto begun = begun_by(exchange);
  Result<BrowserSessions::Secrets> secrets =
      !returned ? Result<BrowserSessions::Secrets>(returned.error())
                : Result<BrowserSessions::Secrets>(begun ? Error{Code::internal, ""}
                                                         : Error(begun.error()));
  const bool may_go_on = returned && begun;
  const std::string page = may_go_on ? begun->page : std::string(kConsolePath);
  if (may_go_on) {
    auto finishing = finish(exchange, *std::move(begun), *std::move(returned));
    secrets = co_await finishing;
  }
  std::string fields = flow_cookie(exchange, "");
  if (!secrets) {
    log::Line(log::Level::warn, "nobody signed in to the console")
        .add("from", exchange.peer.ip)
        .add("why", secrets.error().message);
    const std::string why = net::percent_encode(secrets.error().message);
    auto task = go_to(exchange, fmt::format("{}#sign_in_error={}", kConsolePath, why), fields);
    co_return co_await task;
  }
  fields += sessions_.cookie_field(exchange, secrets->cookie, is_secure(exchange));
  auto task = go_to(exchange, fmt::format("{}#csrf={}", page, secrets->csrf), fields);
  co_return co_await task;
}

// The state is checked before anything is sent to the issuer.
Task<BrowserSessions::Secrets> OidcPage::finish(const net::HttpExchange& exchange, Begun begun,
                                                oauth::Returned returned) {
  const auto state = returned.find("state");
  if (state == returned.end() || !same_secret(state->second, begun.state)) {
    co_return failed("this browser has begun another sign-in");
  }
  const Client client = client_;
  auto looking = server(client);
  auto found = co_await looking;
  if (!found) co_return found.error();
  const oauth::SignIn sign_in = sign_in_of(*client, exchange, *std::move(found));
  auto code = oauth::code_of(sign_in, returned);
  if (!code) co_return code.error();
  if (requests_ >= client->settings.max_requests) {
    co_return Error{Code::overloaded, "too many people are signing in; try again later"};
  }
  oauth::Form form;
  form.add("grant_type", "authorization_code")
      .add("code", *code)
      .add("redirect_uri", sign_in.redirect)
      .add("code_verifier", begun.verifier)
      .add("resource", sign_in.found.resource);
  ++requests_;
  auto asking =
      oauth::request_token(*client->fetcher, sign_in.found.server, sign_in.client, std::move(form));
  auto answer = co_await asking;
  --requests_;
  if (!answer) co_return answer.error();
  const PresentedCredentials presented{
      .from = exchange.peer.address, .token = answer->access, .where = kCallback};
  auto identifying = authenticator_.identify(presented);
  auto caller = co_await identifying;
  if (!caller) {
    co_return failed(fmt::format("the token of {} is not accepted here: {}",
                                 sign_in.found.server.issuer, caller.error().message));
  }
  co_return sessions_.begin(exchange, *caller, "Bearer " + answer->access, kMethod);
}

}  // namespace patchbay::frontends
