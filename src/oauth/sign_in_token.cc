#include "oauth/sign_in_token.h"

#include <fmt/format.h>

#include <algorithm>

#include "core/discard.h"
#include "json/read.h"
#include "net/http/syntax/percent.h"
#include "oauth/no_token.h"
#include "oauth/token_request.h"
#include "observe/log.h"

namespace patchbay::oauth {
namespace {

using WallClock = std::chrono::system_clock;

constexpr const char* kLogged = "save() and drop() log their failures; the token in memory counts";

Error sign_in_failed(std::string why) { return {Code::upstream_failed, std::move(why)}; }

TokenAnswer answer_of(const Grant& grant) {
  TokenAnswer answer;
  answer.access = grant.access;
  answer.expires = lifetime_of(grant, WallClock::now());
  answer.scopes = grant.scopes;
  return answer;
}

bool is_fresh(const Grant& grant) {
  const auto lifetime = lifetime_of(grant, WallClock::now());
  return !lifetime || lifetime->count() > 0;
}

bool has_expired(const Registered& registered) {
  const auto now =
      std::chrono::duration_cast<std::chrono::seconds>(WallClock::now().time_since_epoch());
  return registered.expires != 0 && registered.expires <= now.count();
}

}  // namespace

std::string RedirectEndpoint::callback(const std::string& upstream) const {
  return fmt::format("{}/oauth/callback/{}", base, net::percent_encode(upstream));
}

std::string RedirectEndpoint::document(const std::string& upstream) const {
  if (!base.starts_with("https://")) return {};
  return fmt::format("{}/oauth/client/{}", base, net::percent_encode(upstream));
}

TokenStore::Key SignInToken::key(std::string issuer) const {
  return {plan().upstream, caller_->id, std::move(issuer)};
}

Task<TokenAnswer> SignInToken::obtain(TokenRequirements requirements) {
  if (!loaded_) {
    auto loaded = co_await load();
    if (!loaded) co_return loaded.error();
    if (grant_ && !requirements.refused && is_fresh(*grant_)) co_return answer_of(*grant_);
    if (!grant_ && !requirements.challenge) co_return TokenAnswer();
  }
  if (!grant_) co_return sign_in_wanted(plan().upstream, " first");
  if (requirements.insufficient && !has_scopes(asked_, requirements.more)) {
    co_return sign_in_wanted(plan().upstream,
                             fmt::format(" again, to allow: {}", join_scopes(requirements.more)));
  }
  if (requirements.refused) {
    auto looked = co_await directory_.look(requirements);
    if (!looked) co_return looked.error();
    if (grant_ && directory_.issuer() != grant_->issuer) {
      auto dropped = co_await drop();
      discard(dropped, kLogged);
      co_return sign_in_wanted(plan().upstream, " at another authorization server");
    }
  }
  if (grant_ && !grant_->refresh.empty()) co_return co_await renew();
  auto dropped = co_await drop();
  discard(dropped, kLogged);
  co_return sign_in_wanted(plan().upstream, " again");
}

Task<TokenAnswer> SignInToken::renew() {
  ServerMetadata server;
  server.issuer = grant_->issuer;
  server.token_endpoint = grant_->endpoint;
  Form form;
  form.add("grant_type", "refresh_token")
      .add("refresh_token", grant_->refresh)
      .add("resource", grant_->resource);
  const Client client = plan().client.id.empty() ? grant_->client : plan().client;
  const std::string spent = grant_->refresh;
  auto answer = co_await request_token(*plan().fetcher, server, client, std::move(form));
  // Somebody may have signed in or out meanwhile.
  if (!grant_) co_return sign_in_wanted(plan().upstream, " first");
  if (grant_->refresh != spent) co_return answer_of(*grant_);
  if (!answer && answer.error().code == Code::unauthenticated) {
    auto dropped = co_await drop();
    discard(dropped, kLogged);
    co_return sign_in_wanted(plan().upstream, " again");
  }
  if (!answer) co_return answer.error();
  take(*grant_, *answer, WallClock::now());
  // Saved before use: the refresh token that it replaces may be invalid already.
  auto saved = co_await save();
  discard(saved, kLogged);
  co_return answer;
}

Task<void> SignInToken::load() {
  auto rows = co_await records_.tokens_of(plan().upstream, caller_->id);
  if (!rows) co_return rows.error();
  loaded_ = true;
  const std::string& only = plan().settings.issuer;
  for (const auto& row : *rows) {
    // A grant of another issuer is renewed there, and our client belongs to this one.
    if (!only.empty() && row.key.issuer != only) continue;
    auto grant = grant_from(row.value);
    if (!grant || grant->issuer != row.key.issuer) continue;
    grant_ = *std::move(grant);
    asked_ = grant_->scopes;
    break;
  }
  co_return ok();
}

Task<void> SignInToken::save() {
  auto saved = co_await records_.put_token(key(grant_->issuer), to_text(*grant_));
  if (!saved) {
    log::Line(log::Level::error, "token not stored")
        .add("upstream", plan().upstream)
        .add("why", saved.error().message);
  }
  co_return saved;
}

Task<void> SignInToken::drop() {
  if (!grant_) co_return ok();
  auto old = key(grant_->issuer);
  grant_.reset();
  auto removed = co_await records_.remove_token(std::move(old));
  if (!removed) {
    log::Line(log::Level::error, "token not removed")
        .add("upstream", plan().upstream)
        .add("why", removed.error().message);
  }
  co_return removed;
}

Task<void> SignInToken::forget() {
  if (!loaded_) {
    auto loaded = co_await load();
    if (!loaded) co_return loaded;
  }
  co_return co_await drop();
}

Task<SignIn> SignInToken::prepare(TokenRequirements requirements) {
  if (redirect_endpoint_.base.empty()) {
    co_return sign_in_failed(
        "the URL at which browsers reach this gateway is unknown: set sign_in.url");
  }
  // Forces discovery, since the authorization server may have changed.
  requirements.refused = true;
  auto looked = co_await directory_.look(requirements);
  if (!looked) co_return looked.error();
  const Discovered found = directory_.found();
  const ServerMetadata& server = found.server;
  const auto& methods = server.challenges;
  if (server.authorization_endpoint.empty() ||
      std::ranges::find(methods, "S256") == methods.end()) {
    co_return sign_in_failed(fmt::format(
        "{} does not support PKCE with S256, which is required for sign-in", server.issuer));
  }
  // The browser is redirected there.
  auto endpoint = net::parse_url(server.authorization_endpoint);
  const std::string fault = endpoint ? fault_of_path(*endpoint, true) : endpoint.error().message;
  if (!fault.empty()) {
    co_return sign_in_failed(fmt::format("nobody can sign in at {}: {}", server.issuer, fault));
  }
  auto client = co_await client_for(server);
  if (!client) co_return client.error();
  SignIn sign_in;
  sign_in.upstream = plan().upstream;
  sign_in.caller = caller_;
  sign_in.found = found;
  sign_in.client = *std::move(client);
  sign_in.redirect = redirect_endpoint_.callback(plan().upstream);
  sign_in.scopes = directory_.scopes(requirements);
  if (grant_ && grant_->issuer == server.issuer) {
    sign_in.scopes = unite(grant_->scopes, sign_in.scopes);
  }
  if (has_scope(server.scopes, kOfflineAccess)) {
    sign_in.scopes = unite(std::move(sign_in.scopes), {std::string(kOfflineAccess)});
  }
  co_return sign_in;
}

// In this order: the configured client, our client document, an earlier registration, a new
// registration.
Task<Client> SignInToken::client_for(const ServerMetadata& server) {
  if (!plan().client.id.empty()) co_return plan().client;
  std::string document = plan().settings.client_document;
  if (document.empty()) document = redirect_endpoint_.document(plan().upstream);
  if (server.takes_client_documents && !document.empty()) {
    Client client;
    client.id = std::move(document);
    client.auth = ClientAuth::none;
    co_return client;
  }
  auto known = co_await known_client(server.issuer);
  if (!known) co_return known.error();
  if (*known) co_return (*known)->client;
  if (server.registration_endpoint.empty()) {
    co_return sign_in_failed(
        fmt::format("{} has no dynamic registration: register this gateway there, with the "
                    "redirect URI {}, and "
                    "set client_id",
                    server.issuer, redirect_endpoint_.callback(plan().upstream)));
  }
  ClientRequest requirements{redirect_endpoint_.name, redirect_endpoint_.callback(plan().upstream)};
  auto made = co_await register_client(*plan().fetcher, server, std::move(requirements));
  auto record = policy::event_record(policy::kRegistrationEvent, *caller_);
  record.method = "client";
  record.upstream = plan().upstream;
  record.target = server.issuer;
  if (!made) record.outcome = info(made.error().code).name;
  redirect_endpoint_.audit(std::move(record));
  if (!made) co_return made.error();
  made->client.auth = choose_auth(made->client, server.client_auth);
  TokenStore::Key of{plan().upstream, "", server.issuer};
  auto saved = co_await records_.put_client(std::move(of), to_text(*made));
  if (!saved) co_return saved.error();
  co_return made->client;
}

Task<std::optional<Registered>> SignInToken::known_client(const std::string& issuer) {
  auto rows = co_await records_.clients_of(plan().upstream);
  if (!rows) co_return rows.error();
  for (const auto& row : *rows) {
    auto known = row.key.issuer == issuer ? registered_from(row.value) : Result<Registered>();
    const bool fits = known && known->redirect == redirect_endpoint_.callback(plan().upstream);
    if (fits && !has_expired(*known)) co_return std::optional(*std::move(known));
  }
  co_return std::optional<Registered>();
}

Task<TokenAnswer> SignInToken::complete(const SignIn& sign_in, std::string code) {
  const ServerMetadata& server = sign_in.found.server;
  Form form;
  form.add("grant_type", "authorization_code")
      .add("code", code)
      .add("redirect_uri", sign_in.redirect)
      .add("code_verifier", sign_in.verifier)
      .add("resource", sign_in.found.resource);
  auto answer = co_await request_token(*plan().fetcher, server, sign_in.client, std::move(form));
  if (!answer) co_return answer.error();
  loaded_ = true;
  if (grant_ && grant_->issuer != server.issuer) {
    auto dropped = co_await drop();
    discard(dropped, kLogged);
  }
  Grant grant;
  grant.issuer = server.issuer;
  grant.endpoint = server.token_endpoint;
  grant.resource = sign_in.found.resource;
  grant.scopes = sign_in.scopes;
  grant.client = sign_in.client;
  grant.client.auth = choose_auth(sign_in.client, server.client_auth);
  take(grant, *answer, WallClock::now());
  grant_ = std::move(grant);
  asked_ = sign_in.scopes;
  auto saved = co_await save();
  discard(saved, kLogged);
  co_return answer;
}

}  // namespace patchbay::oauth
