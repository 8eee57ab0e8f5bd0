#include "oauth/discovery.h"

#include <fmt/format.h>

#include <algorithm>

namespace patchbay::oauth {
namespace {

Error discovery_failed(std::string why) { return {Code::upstream_failed, std::move(why)}; }

// A document that is absent at one URL may be at the next. No answer at all is a failure: the
// document may be there a moment later.
bool is_absent(const Fetched& fetched) { return fetched.status >= 400 && fetched.status < 500; }

Error strange(const std::string& url, int status) {
  return discovery_failed(fmt::format("{} answered with HTTP status {}", url, status));
}

// The first of the documents that exists; none if all are absent.
Task<std::optional<std::string>> first_document(const Fetcher& fetcher,
                                                std::vector<std::string> urls) {
  for (const std::string& url : urls) {
    auto fetched = co_await fetcher.get(url);
    if (!fetched) co_return fetched.error();
    if (fetched->status == 200) co_return std::optional(std::move(fetched->body));
    if (!is_absent(*fetched)) co_return strange(url, fetched->status);
  }
  co_return std::optional<std::string>();
}

Task<std::optional<ResourceMetadata>> resource_metadata(const Fetcher& fetcher, net::Url upstream,
                                                        std::string named) {
  std::vector<std::string> urls{named};
  if (named.empty()) urls = resource_metadata_urls(upstream);
  auto text = co_await first_document(fetcher, std::move(urls));
  if (!text) co_return text.error();
  if (!*text && !named.empty())
    co_return discovery_failed(fmt::format("there is nothing at {}", named));
  if (!*text) co_return std::optional<ResourceMetadata>();
  auto metadata = parse_resource_metadata(**text);
  if (!metadata) co_return metadata.error();
  if (!covers(metadata->resource, upstream)) {
    co_return discovery_failed(fmt::format(
        "its metadata are about the resource '{}', which is not this server; no token is fetched",
        metadata->resource));
  }
  co_return std::optional(*std::move(metadata));
}

Task<std::optional<ServerMetadata>> server_metadata(const Fetcher& fetcher, std::string issuer) {
  auto urls = server_metadata_urls(issuer);
  if (!urls) co_return urls.error();
  auto text = co_await first_document(fetcher, *std::move(urls));
  if (!text) co_return text.error();
  if (!*text) co_return std::optional<ServerMetadata>();
  auto metadata = parse_server_metadata(**text);
  if (!metadata) co_return metadata.error();
  // Compared byte by byte: a similar issuer may be another one.
  if (metadata->issuer != issuer) {
    co_return discovery_failed(fmt::format(
        "the metadata of the issuer '{}' are those of another: '{}'", issuer, metadata->issuer));
  }
  co_return std::optional(*std::move(metadata));
}

// 2025-03-26: the server issues its tokens itself.
Task<ServerMetadata> session_server(const Fetcher& fetcher, net::Url upstream) {
  ServerMetadata usual = usual_endpoints(upstream);
  auto found = co_await server_metadata(fetcher, usual.issuer);
  if (!found) co_return found.error();
  co_return *found ? **std::move(found) : usual;
}

// The part that the configuration determines; nothing if the upstream must be asked.
Task<std::optional<Discovered>> configured(const Plan& plan) {
  const Settings& settings = plan.settings;
  Discovered found;
  found.resource = settings.resource;
  if (!settings.token_url.empty()) {
    found.server.issuer = settings.issuer.empty() ? settings.token_url : settings.issuer;
    found.server.token_endpoint = settings.token_url;
    if (plan.mcp && found.resource.empty()) found.resource = resource_of(plan.url);
    co_return std::optional(std::move(found));
  }
  if (plan.mcp) co_return std::optional<Discovered>();
  auto server = co_await discover_server(*plan.fetcher, settings.issuer);
  if (!server) co_return server.error();
  found.server = *std::move(server);
  co_return std::optional(std::move(found));
}

}  // namespace

Task<ServerMetadata> discover_server(const Fetcher& fetcher, std::string issuer) {
  auto found = co_await server_metadata(fetcher, issuer);
  if (!found) co_return found.error();
  if (*found) co_return **std::move(found);
  co_return discovery_failed(
      fmt::format("the authorization server '{}' publishes no metadata", issuer));
}

Task<Discovered> discover(const Plan& plan, std::optional<Challenge> challenge) {
  const Settings& settings = plan.settings;
  auto known = co_await configured(plan);
  if (!known) co_return known.error();
  if (*known) co_return **std::move(known);
  Discovered found;
  const std::string named = challenge ? challenge->resource_metadata : "";
  auto published = co_await resource_metadata(*plan.fetcher, plan.url, named);
  // A configured issuer does not have to be named by the upstream.
  const bool asks = settings.issuer.empty();
  if (!published && asks) co_return published.error();
  const bool there = published && *published;
  if (!there && asks) {
    auto session_based = co_await session_server(*plan.fetcher, plan.url);
    if (!session_based) co_return session_based.error();
    found.server = *std::move(session_based);
    found.resource = settings.resource;  // Not defined in that revision.
    co_return found;
  }
  found.resource = there ? (*published)->resource : resource_of(plan.url);
  if (!settings.resource.empty()) found.resource = settings.resource;
  if (there) found.scopes = (*published)->scopes;
  std::string issuer = asks ? (*published)->servers.front() : settings.issuer;
  if (there && std::ranges::find((*published)->servers, issuer) == (*published)->servers.end()) {
    co_return discovery_failed(fmt::format(
        "its metadata do not name the configured issuer '{}' among those of its tokens", issuer));
  }
  auto server = co_await discover_server(*plan.fetcher, std::move(issuer));
  if (!server) co_return server.error();
  found.server = *std::move(server);
  co_return found;
}

}  // namespace patchbay::oauth
