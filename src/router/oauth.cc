#include "router/oauth.h"

#include <fmt/format.h>
#include <sys/stat.h>

#include <algorithm>
#include <cerrno>

#include "crypto/key_file.h"
#include "net/http/syntax/url.h"
#include "oauth/device_flow.h"
#include "oauth/discovery.h"
#include "oauth/token_request.h"
#include "observe/log.h"
#include "transport/wire/url.h"

namespace patchbay::app {
namespace {

constexpr auto kDefaultLifetime = std::chrono::hours(1);  // Of a token without `expires_in`.

oauth::Settings oauth_settings(const RouterOauthSettings& router) {
  oauth::Settings settings;
  // The person may use either; the prompt is our own text.
  settings.kind = router.grant == RouterGrant::device ? oauth::Kind::authorization_code
                                                      : oauth::Kind::client_credentials;
  settings.client_id = router.client_id;
  settings.client_secret = router.client_secret;
  settings.scopes = router.scopes;
  settings.issuer = router.issuer;
  settings.token_url = router.token_url;
  settings.resource = router.resource;
  settings.ca = router.ca;
  settings.fetch_time = router.fetch_time;
  return settings;
}

// The store, in a folder that is created if necessary. Blocks.
Result<std::shared_ptr<oauth::TokenStore>> open_store(const std::string& folder) {
  if (::mkdir(folder.c_str(), 0700) != 0 && errno != EEXIST) {
    return Error{Code::unavailable, fmt::format("cannot create the folder {}", folder)};
  }
  auto key = policy::key_in(folder);
  if (!key) return key.error();
  auto store = oauth::TokenStore::open(folder + "/router-tokens.db", policy::Sealer(*key));
  if (!store) return store.error();
  return std::shared_ptr<oauth::TokenStore>(*std::move(store));
}

oauth::TokenStore::Key key_of(const RouterSettings& settings) {
  const RouterOauthSettings& oauth = *settings.oauth;
  return {settings.gateway, oauth.client_id, oauth.issuer + oauth.token_url};
}

}  // namespace

Result<std::unique_ptr<RouterOauth>> RouterOauth::make(const RouterSettings& settings) {
  const auto schemes = transport::is_wire_url(settings.gateway)
                           ? transport::parse_wire_url(settings.gateway)
                           : net::parse_url(settings.gateway, net::kWsSchemes);
  if (!schemes) return schemes.error();
  if (settings.oauth->client_id.empty()) {
    return Error{Code::invalid_params, "oauth.client_id is missing"};
  }
  auto plan = oauth::make_plan("gateway", *schemes, oauth_settings(*settings.oauth),
                               {.mcp = false, .shared = true});
  if (!plan) {
    return Error{plan.error().code, fmt::format("oauth.{}", plan.error().message)};
  }
  return std::unique_ptr<RouterOauth>(new RouterOauth(settings, *std::move(plan)));
}

RouterOauth::RouterOauth(const RouterSettings& settings, std::shared_ptr<const oauth::Plan> plan)
    : settings_(settings),
      oauth_(*settings.oauth),
      plan_(plan),
      own_(plan),
      directory_(std::move(plan)) {
  // The stored grant names the client without its secret, which is in the settings.
  grant_.client.id = oauth_.client_id;
  grant_.issuer = oauth_.issuer;
}

RouterOauth::~RouterOauth() = default;

bool RouterOauth::has_good() const { return !grant_.access.empty() && here().now() < expires_; }

Task<std::string> RouterOauth::get(Deadline deadline) {
  if (has_good()) co_return grant_.access;
  begin();
  OneShot<void> update;
  waiting_.push_back(&update);
  auto waited = co_await update.wait(deadline);
  std::erase(waiting_, &update);
  if (has_good()) co_return grant_.access;
  if (!waited && waited.error().code == Code::cancelled) co_return waited.error();
  if (!prompt_.empty()) co_return Error{Code::unavailable, prompt_};
  co_return why_;
}

void RouterOauth::refused() { expires_ = due_ = here().now(); }

void RouterOauth::attend() {
  if (!grant_.access.empty() && here().now() >= due_ && here().now() >= next_try_) begin();
}

void RouterOauth::begin() {
  if (fetching_) return;
  fetching_ = true;
  scope_.spawn(fetch());
}

Task<void> RouterOauth::fetch() {
  auto answer = co_await obtain();
  fetching_ = false;
  if (answer) {
    note(*answer);
    if (notify_) notify_(grant_.access);
  } else {
    why_ = {Code::unavailable, fmt::format("there is no token: {}", answer.error().message)};
    next_try_ = here().now() + oauth_.retry;
    log::Line(log::Level::warn, "no token").add("why", answer.error().message);
  }
  for (auto* const update : waiting_) update->deliver(ok());
  if (answer) co_return co_await keep();
  co_return answer.error();
}

void RouterOauth::note(const oauth::TokenAnswer& answer) {
  oauth::take(grant_, answer, std::chrono::system_clock::now());
  const std::chrono::nanoseconds lifetime = answer.expires ? *answer.expires : kDefaultLifetime;
  const std::chrono::nanoseconds before =
      std::min<std::chrono::nanoseconds>(oauth_.renew_before, lifetime / 2);
  // Without an expiry, the gateway decides whether the token is valid.
  expires_ = answer.expires ? here().now() + lifetime : kNever;
  due_ = here().now() + lifetime - before;
}

Task<oauth::TokenAnswer> RouterOauth::obtain() {
  if (oauth_.grant == RouterGrant::client_credentials) co_return co_await own_.obtain({});
  if (!loaded_) {
    auto loaded = co_await load();
    if (!loaded)
      log::Line(log::Level::warn, "tokens not stored").add("why", loaded.error().message);
  }
  auto looked = co_await directory_.look({});
  if (!looked) co_return looked.error();
  oauth::Discovered found = directory_.found();
  if (!oauth_.device_url.empty()) found.server.device_endpoint = oauth_.device_url;
  if (!grant_.refresh.empty()) {
    auto renewed = co_await refresh(found);
    if (renewed || renewed.error().code != Code::unauthenticated) co_return renewed;
    grant_.refresh.clear();
  }
  co_return co_await sign_in(found);
}

Task<oauth::TokenAnswer> RouterOauth::refresh(const oauth::Discovered& found) {
  oauth::Form form;
  form.add("grant_type", "refresh_token")
      .add("refresh_token", grant_.refresh)
      .add("resource", found.resource);
  co_return co_await oauth::request_token(*plan_->fetcher, found.server, plan_->client,
                                          std::move(form));
}

Task<oauth::TokenAnswer> RouterOauth::sign_in(const oauth::Discovered& found) {
  if (found.server.device_endpoint.empty()) {
    co_return Error{Code::unavailable, "the issuer names no device endpoint; set oauth.device_url"};
  }
  const std::string scopes = oauth::join_scopes(directory_.scopes({}));
  auto code = co_await oauth::ask_device_code(*plan_->fetcher, found.server, plan_->client, scopes,
                                              found.resource);
  if (!code) co_return code.error();
  prompt_ = oauth::sign_in_message(*code);
  log::Line(log::Level::warn, "sign in").add("how", prompt_);
  // Waiting requests get the prompt at once, not only a timeout.
  for (auto* const update : waiting_) update->deliver(ok());
  auto answer = co_await oauth::wait_for_sign_in(*plan_->fetcher, found.server, plan_->client,
                                                 *std::move(code));
  prompt_.clear();
  co_return answer;
}

// The grant of an earlier run.
Task<void> RouterOauth::load() {
  loaded_ = true;
  if (settings_.state.empty()) co_return ok();
  using Store = std::shared_ptr<oauth::TokenStore>;
  std::function<Result<Store>()> open = [folder = settings_.state] { return open_store(folder); };
  auto store = co_await pool_.run<Store>(std::move(open));
  if (!store) co_return store.error();
  store_ = *std::move(store);
  const auto key = key_of(settings_);
  std::function<Result<std::string>()> read = [store = store_, key]() -> Result<std::string> {
    auto rows = store->tokens_of(key.upstream, key.principal);
    if (!rows) return rows.error();
    const auto ours = std::ranges::find(*rows, key, &oauth::TokenStore::Row::key);
    return ours == rows->end() ? std::string() : ours->value;
  };
  auto text = co_await pool_.run<std::string>(std::move(read));
  if (!text) co_return text.error();
  if (text->empty()) co_return ok();
  auto grant = oauth::grant_from(*text);
  if (!grant) co_return grant.error();
  grant_.refresh = grant->refresh;
  co_return ok();
}

Task<void> RouterOauth::keep() {
  if (!store_ || grant_.refresh.empty()) co_return ok();
  const auto key = key_of(settings_);
  std::function<Result<bool>()> write = [store = store_, key,
                                         text = oauth::to_text(grant_)]() -> Result<bool> {
    auto put = store->put_token(key, text);
    if (!put) return put.error();
    return true;
  };
  auto stored = co_await pool_.run<bool>(std::move(write));
  if (stored) co_return ok();
  log::Line(log::Level::warn, "tokens not stored").add("why", stored.error().message);
  co_return stored.error();
}

Task<void> RouterOauth::stop() {
  scope_.cancel();
  auto draining = scope_.drain(kNever);
  co_return co_await draining.shielded();
}

}  // namespace patchbay::app
