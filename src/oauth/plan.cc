#include "oauth/plan.h"

#include <fmt/format.h>

#include <algorithm>

#include "config/file.h"
#include "core/text.h"
#include "oauth/token_answer.h"

namespace patchbay::oauth {
namespace {

constexpr std::size_t kMostToken = 64 << 10;
constexpr std::size_t kMostKey = 64 << 10;

Error wrong(std::string_view setting, std::string_view why) {
  return {Code::invalid_params, fmt::format("{} {}", setting, why)};
}

Result<void> check_bearer(const Settings& settings) {
  if (settings.token.empty() == settings.token_file.empty()) {
    return wrong("kind", "is bearer, which needs either token or token_file");
  }
  if (settings.token_file.empty()) {
    if (is_sendable(settings.token)) return ok();
    return wrong("token", "has characters that are not allowed in a token");
  }
  auto token = read_token_file(settings.token_file);
  if (!token) return wrong("token_file:", token.error().message);
  return ok();
}

// Files that are read each time a token is requested.
Result<void> check_files(const Settings& settings) {
  if (settings.kind == Kind::jwt_bearer) {
    if (settings.token_file.empty()) return wrong("token_file", "is missing");
    auto token = read_token_file(settings.token_file);
    if (!token) return wrong("token_file:", token.error().message);
  }
  if (settings.kind == Kind::token_exchange && !settings.subject_file.empty()) {
    auto token = read_token_file(settings.subject_file);
    if (!token) return wrong("subject_file:", token.error().message);
  }
  return ok();
}

Result<void> check_urls(const Settings& settings) {
  using Named = std::pair<std::string_view, const std::string&>;
  const std::string exchange = settings.exchange ? settings.exchange->token_url : "";
  for (const auto& [name, text] :
       {Named{"issuer", settings.issuer}, Named{"token_url", settings.token_url},
        Named{"exchange.token_url", exchange}}) {
    if (text.empty()) continue;
    auto url = net::parse_url(text);
    const std::string fault = url ? fault_of_path(*url, true) : url.error().message;
    if (!fault.empty()) return wrong(name, fmt::format("cannot be used: {}", fault));
  }
  return ok();
}

// Secrets, callers' tokens and assertions are sent only to the configured authorization server. An
// upstream that could choose another would name its own.
Result<void> check_issuer(const Settings& settings) {
  const bool people = settings.kind == Kind::authorization_code;
  if (!settings.issuer.empty() || (!people && !settings.token_url.empty())) return ok();
  if (people && settings.client_id.empty()) return ok();  // We register there first.
  if (people) {
    return wrong("issuer",
                 "is missing: client_id belongs to one authorization server, and the upstream must "
                 "not choose another");
  }
  return wrong("issuer",
               "or token_url is missing: credentials go to that authorization server, and the "
               "upstream must not choose another");
}

Result<Client> read_client(const Settings& settings) {
  Client client{settings.client_id, settings.client_secret, settings.client_auth, nullptr,
                settings.key_id};
  const bool registers = settings.kind == Kind::authorization_code;
  if (client.id.empty() && !registers) return wrong("client_id", "is missing");
  if (client.id.empty() && !client.secret.empty()) return wrong("client_id", "is missing");
  const ClientAuth method = settings.client_auth;
  const bool wants_secret =
      method == ClientAuth::client_secret_basic || method == ClientAuth::client_secret_post;
  if (wants_secret && client.secret.empty()) return wrong("client_secret", "is missing");
  if (method == ClientAuth::private_key_jwt && settings.key.empty())
    return wrong("key", "is missing");
  if (settings.key.empty()) return client;
  auto pem = config::read_trusted_file(settings.key, kMostKey);
  if (!pem) return wrong("key:", fmt::format("the file {} {}", settings.key, pem.error().message));
  auto signer = policy::JwsSigner::read(*pem, settings.algorithm);
  if (!signer) {
    return wrong("key:", fmt::format("the file {} {}", settings.key, signer.error().message));
  }
  client.signer = std::make_shared<const policy::JwsSigner>(*std::move(signer));
  return client;
}

}  // namespace

Result<std::string> read_token_file(const std::string& path) {
  auto file = config::read_trusted_file(path, kMostToken);
  if (!file) return Error{file.error().code, fmt::format("{} {}", path, file.error().message)};
  std::string token(trimmed(*file));
  if (is_sendable(token)) return token;
  return Error{Code::invalid_params, fmt::format("{} holds no token", path)};
}

Result<std::shared_ptr<const Plan>> make_plan(std::string upstream, net::Url url,
                                              const Settings& settings,
                                              const PlanOptions& options) {
  auto plan = std::make_shared<Plan>();
  plan->upstream = std::move(upstream);
  plan->url = std::move(url);
  plan->mcp = options.mcp;
  plan->on_demand = options.on_demand;
  const bool exchanges = settings.kind == Kind::token_exchange;
  plan->per_caller = (settings.kind == Kind::authorization_code || exchanges) && !options.shared;
  if (exchanges && options.shared) {
    return wrong("kind",
                 "is token_exchange, which needs connections that callers do not share; use "
                 "isolation: per-principal");
  }
  plan->settings = settings;
  if (settings.kind == Kind::bearer) {
    auto good = check_bearer(settings);
    if (!good) return good.error();
    return std::shared_ptr<const Plan>(std::move(plan));
  }
  if (!settings.client_document.empty() && !settings.client_document.starts_with("https://")) {
    return wrong("client_document", "is not an https URL");
  }
  auto urls = check_urls(settings);
  if (!urls) return urls.error();
  auto client = read_client(settings);
  if (!client) return client.error();
  plan->client = *std::move(client);
  auto bound = check_issuer(settings);
  if (!bound) return bound.error();
  if (!options.mcp && settings.issuer.empty() && settings.token_url.empty()) {
    return wrong("issuer", "or token_url is missing: such a service does not publish its issuer");
  }
  if (settings.kind == Kind::client_credentials && plan->client.secret.empty() &&
      !plan->client.signer) {
    return wrong("kind", "is client_credentials, which needs a client_secret or a key");
  }
  auto files = check_files(settings);
  if (!files) return files.error();
  auto fetcher = Fetcher::make(settings, plan->url);
  if (!fetcher) return fetcher.error();
  plan->fetcher = *std::move(fetcher);
  return std::shared_ptr<const Plan>(std::move(plan));
}

}  // namespace patchbay::oauth
