#include "oauth/metadata.h"

#include <fmt/format.h>

#include <algorithm>

#include "json/read.h"

namespace patchbay::oauth {
namespace {

constexpr std::size_t kMostStrings = 200;  // Of one list.
constexpr std::string_view kResource = "/.well-known/oauth-protected-resource";
constexpr std::string_view kServer = "/.well-known/oauth-authorization-server";
constexpr std::string_view kOpenId = "/.well-known/openid-configuration";

Error unusable_metadata(std::string why) { return {Code::upstream_failed, std::move(why)}; }

Result<void> check_object(std::string_view text, std::string_view what) {
  auto valid = json::check(text);
  if (!valid)
    return unusable_metadata(fmt::format("{} is not JSON: {}", what, valid.error().message));
  if (json::type_of(text) == json::Type::object) return ok();
  return unusable_metadata(fmt::format("{} is not a JSON object", what));
}

std::vector<std::string> string_list(std::string_view text, std::string_view key) {
  std::vector<std::string> list;
  json::each_element(json::member(text, key).value_or("[]"), [&](std::string_view raw) {
    auto element = json::as_string(raw);
    if (element && list.size() < kMostStrings) list.push_back(*std::move(element));
  });
  return list;
}

std::optional<Scopes> scopes_in(std::string_view text) {
  const auto raw = json::member(text, "scopes_supported");
  if (!raw || json::type_of(*raw) != json::Type::array) return std::nullopt;
  Scopes scopes = string_list(text, "scopes_supported");
  std::erase_if(scopes, [](const auto& one) { return !is_scope(one); });
  return scopes;
}

std::string text_member(std::string_view text, std::string_view key) {
  return json::string_member(text, key).value_or("");
}

// These values get into header lines, requests and logs: none may contain a line break.
Result<void> check_url(const std::string& text, std::string_view name) {
  if (text.empty()) return ok();
  auto url = net::parse_url(text);
  if (url) return ok();
  return unusable_metadata(fmt::format("`{}` in the metadata: {}", name, url.error().message));
}

// Without query and trailing slash; empty for the root.
std::string path_of(const net::Url& url) {
  std::string path = url.path.substr(0, url.path.find('?'));
  while (path.ends_with('/')) path.pop_back();
  return path;
}

// Scheme and authority, normalised.
std::string root_of(const net::Url& url) {
  return fmt::format("{}://{}", url.tls ? "https" : "http", url.authority());
}

}  // namespace

Result<ResourceMetadata> parse_resource_metadata(std::string_view text) {
  auto valid = check_object(text, "the metadata of the resource");
  if (!valid) return valid.error();
  ResourceMetadata metadata;
  metadata.resource = text_member(text, "resource");
  if (metadata.resource.empty())
    return unusable_metadata("the metadata of the resource name no `resource`");
  auto good = check_url(metadata.resource, "resource");
  if (!good) return good.error();
  metadata.servers = string_list(text, "authorization_servers");
  if (metadata.servers.empty()) {
    return unusable_metadata("the metadata of the resource name no `authorization_servers`");
  }
  for (const auto& server : metadata.servers) {
    good = check_url(server, "authorization_servers");
    if (!good) return good.error();
  }
  metadata.scopes = scopes_in(text);
  return metadata;
}

Result<ServerMetadata> parse_server_metadata(std::string_view text) {
  auto valid = check_object(text, "the metadata of the authorization server");
  if (!valid) return valid.error();
  ServerMetadata metadata;
  metadata.issuer = text_member(text, "issuer");
  metadata.authorization_endpoint = text_member(text, "authorization_endpoint");
  metadata.token_endpoint = text_member(text, "token_endpoint");
  metadata.registration_endpoint = text_member(text, "registration_endpoint");
  metadata.device_endpoint = text_member(text, "device_authorization_endpoint");
  if (metadata.issuer.empty() || metadata.token_endpoint.empty()) {
    return unusable_metadata(
        "the metadata of the authorization server lack `issuer` or `token_endpoint`");
  }
  using Named = std::pair<std::string_view, const std::string&>;
  for (const auto& [name, url] :
       {Named{"issuer", metadata.issuer},
        Named{"authorization_endpoint", metadata.authorization_endpoint},
        Named{"token_endpoint", metadata.token_endpoint},
        Named{"registration_endpoint", metadata.registration_endpoint},
        Named{"device_authorization_endpoint", metadata.device_endpoint}}) {
    auto good = check_url(url, name);
    if (!good) return good.error();
  }
  metadata.scopes = scopes_in(text).value_or(Scopes());
  metadata.grants = string_list(text, "grant_types_supported");
  metadata.client_auth = string_list(text, "token_endpoint_auth_methods_supported");
  metadata.challenges = string_list(text, "code_challenge_methods_supported");
  metadata.sends_iss =
      json::member(text, "authorization_response_iss_parameter_supported") == "true";
  metadata.takes_client_documents =
      json::member(text, "client_id_metadata_document_supported") == "true";
  return metadata;
}

std::vector<std::string> resource_metadata_urls(const net::Url& url) {
  const std::string root = root_of(url);
  const std::string path = path_of(url);
  std::vector<std::string> urls;
  if (!path.empty()) urls.push_back(fmt::format("{}{}{}", root, kResource, path));
  urls.push_back(fmt::format("{}{}", root, kResource));
  return urls;
}

Result<std::vector<std::string>> server_metadata_urls(const std::string& issuer) {
  auto url = net::parse_url(issuer);
  if (!url)
    return unusable_metadata(fmt::format("the issuer '{}': {}", issuer, url.error().message));
  if (issuer.find('?') != std::string::npos) {
    return unusable_metadata(
        fmt::format("the issuer '{}' has a query, which is not allowed", issuer));
  }
  const std::string root = root_of(*url);
  const std::string path = path_of(*url);
  std::vector<std::string> urls{fmt::format("{}{}{}", root, kServer, path),
                                fmt::format("{}{}{}", root, kOpenId, path)};
  if (!path.empty()) urls.push_back(fmt::format("{}{}{}", root, path, kOpenId));
  return urls;
}

ServerMetadata usual_endpoints(const net::Url& server) {
  const std::string root = root_of(server);
  ServerMetadata usual;
  usual.issuer = root;
  usual.authorization_endpoint = root + "/authorize";
  usual.token_endpoint = root + "/token";
  usual.registration_endpoint = root + "/register";
  usual.challenges = {"S256"};
  usual.guessed = true;
  return usual;
}

std::string resource_of(const net::Url& url) { return root_of(url) + path_of(url); }

bool covers(std::string_view resource, const net::Url& url) {
  const auto named = net::parse_url(resource);
  if (!named || named->origin() != url.origin() || named->path.find('?') != std::string::npos) {
    return false;
  }
  const std::string above = path_of(*named);
  const std::string path = path_of(url);
  return path == above || path.starts_with(above + "/");
}

}  // namespace patchbay::oauth
