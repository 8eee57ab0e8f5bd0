#include "oauth/fetcher.h"

#include <fmt/format.h>

#include <algorithm>

#include "net/http/client/pool.h"
#include "net/io/resolver.h"
#include "oauth/reach.h"

namespace patchbay::oauth {
namespace {

// A host that is this machine by its name alone.
bool is_here(const net::Url& url) {
  const auto addresses = net::numeric_addresses(url.host, url.port);
  return !addresses.empty() &&
         std::ranges::all_of(addresses, [](const auto& one) { return one.loopback(); });
}

// The nearest of the addresses of a host.
Reach nearest(const std::vector<net::Address>& addresses) {
  Reach reach = Reach::world;
  for (const auto& one : addresses) reach = std::min(reach, reach_of(one));
  return reach;
}

}  // namespace

std::string fault_of_path(const net::Url& url, bool near) {
  if (url.tls) return {};
  if (!is_here(url)) return fmt::format("{} is not https", url.text());
  return near ? "" : fmt::format("{} is on this machine, and the upstream is not", url.text());
}

Result<std::shared_ptr<const Fetcher>> Fetcher::make(const Settings& settings, net::Url upstream) {
  net::TlsClientSettings trust;
  trust.ca = settings.ca;
  auto tls = net::TlsContext::client(trust);
  if (!tls) return tls.error();
  return std::shared_ptr<const Fetcher>(
      new Fetcher(settings, std::move(upstream), *std::move(tls)));
}

Fetcher::Fetcher(const Settings& settings, net::Url upstream,
                 std::shared_ptr<const net::TlsContext> tls)
    : time_(settings.fetch_time),
      most_(settings.answer.value),
      upstream_(std::move(upstream)),
      tls_(std::move(tls)) {
  const std::string exchange = settings.exchange ? settings.exchange->token_url : "";
  for (const auto& text : {settings.issuer, settings.token_url, exchange}) {
    if (auto url = net::parse_url(text)) named_.emplace_back(url->host, url->port);
  }
}

bool Fetcher::names(const net::Url& url) const {
  return std::ranges::find(named_, std::pair<std::string, int>(url.host, url.port)) != named_.end();
}

Task<Fetched> Fetcher::get(std::string url) const {
  Request request{"GET", "Accept: application/json\r\n", ""};
  co_return co_await fetch(std::move(url), std::move(request));
}

Task<Fetched> Fetcher::post(std::string url, std::string fields, std::string body) const {
  Request request{"POST", "Accept: application/json\r\n" + fields, std::move(body)};
  co_return co_await fetch(std::move(url), std::move(request));
}

// A server may not name an address that is nearer to us than the server itself. An upstream on this
// machine may name whatever it could reach, but never a link-local address.
Task<net::AddressRule> Fetcher::rule_for(const net::Url& url, Deadline deadline) const {
  Reach least = Reach::machine;
  if (!names(url)) {
    auto addresses = co_await net::look_up(upstream_.host, upstream_.port, deadline);
    least = addresses ? std::max(nearest(*addresses), Reach::machine) : Reach::world;
  }
  co_return net::AddressRule(
      [least](const net::Address& address) { return reach_of(address) >= least; });
}

Task<Fetched> Fetcher::fetch(std::string text, Request request) const {
  auto url = net::parse_url(text);
  if (!url)
    co_return Error{Code::upstream_failed, fmt::format("{}: {}", text, url.error().message)};
  const std::string fault = fault_of_path(*url, names(*url) || is_here(upstream_));
  if (!fault.empty()) co_return Error{Code::upstream_failed, fault};
  const Deadline deadline = Clock::now() + time_;
  auto rule = co_await rule_for(*url, deadline);
  if (!rule) co_return rule.error();
  net::HttpPoolSettings one;
  one.connections = 1;
  one.connect = time_;
  one.may_reach = *std::move(rule);
  net::HttpPool pool(*url, url->tls ? tls_ : nullptr, one);
  const net::HttpCall call{request.method, url->path, request.fields, request.body};
  auto response = co_await pool.request(call, deadline);
  if (!response) {
    co_return Error{response.error().code, fmt::format("{}: {}", text, response.error().message)};
  }
  Fetched fetched{(*response)->status(), ""};
  auto body = co_await (*response)->read_all(most_, deadline);
  if (!body) co_return Error{body.error().code, fmt::format("{}: {}", text, body.error().message)};
  fetched.body = *std::move(body);
  co_return fetched;
}

}  // namespace patchbay::oauth
