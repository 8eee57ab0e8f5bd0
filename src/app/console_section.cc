#include "app/console_section.h"

#include <fmt/format.h>

#include <algorithm>

#include "config/read_value.h"
#include "net/tls/context.h"
#include "oauth/fetcher.h"

namespace patchbay::app {
namespace {

std::string fault_of_issuer(const Settings& settings, const std::string& issuer) {
  const auto& issuers = settings.auth.jwt;
  if (issuers.empty()) return "needs auth.jwt: the gateway accepts the tokens of no issuer";
  if (issuer.empty()) return {};
  if (std::ranges::find(issuers, issuer, &policy::JwtSettings::issuer) == issuers.end()) {
    return "is no issuer of auth.jwt, so its tokens would not be accepted";
  }
  auto url = net::parse_url(issuer);
  return url ? oauth::fault_of_path(*url, true) : url.error().message;
}

}  // namespace

void check_console(const Settings& settings, const config::Node& root, const std::string& file,
                   config::Faults& faults) {
  const auto& oidc = settings.console.oidc;
  const config::Node* const console = root.find("console");
  const config::Node* const section = console ? console->find("oidc") : nullptr;
  if (!oidc || !section) return;
  const config::Location at{file, "console.oidc", faults};
  const auto fault = [&](std::string_view key, const std::string& why) {
    const auto* const given = section->find(key);
    if (!why.empty()) at.member(key).fault(given ? given->line : section->line, why);
  };
  fault("issuer", fault_of_issuer(settings, oidc->issuer));
  net::TlsClientSettings trust;
  trust.ca = oidc->ca;
  auto tls = net::TlsContext::client(trust);
  if (!tls) fault("ca", tls.error().message);
}

}  // namespace patchbay::app
