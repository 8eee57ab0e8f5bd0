#include "app/sign_in_section.h"

#include <fmt/format.h>

#include "config/read_value.h"
#include "crypto/key_file.h"
#include "net/io/address.h"
#include "oauth/fetcher.h"

namespace patchbay::app {
namespace {

// Authorization servers send secrets to this URL, through browsers.
std::string fault_of_url(const std::string& text) {
  auto url = net::parse_url(text);
  if (!url) return url.error().message;
  if (url->path != "/") return "has a path; name the origin alone, such as https://gateway.example";
  return oauth::fault_of_path(*url, true);
}

}  // namespace

void check_sign_in(const oauth::SignInSettings& settings, const config::Node& root,
                   const std::string& file, config::Faults& faults) {
  const config::Node* const section = root.find("sign_in");
  if (!section) return;
  const config::Location at{file, "sign_in", faults};
  const auto fault = [&](std::string_view key, const std::string& why) {
    const auto* const given = section->find(key);
    if (!why.empty()) at.member(key).fault(given ? given->line : section->line, why);
  };
  if (!settings.url.empty()) fault("url", fault_of_url(settings.url));
  if (!settings.key.empty()) {
    auto key = policy::parse_key(settings.key);
    if (!key) fault("key", key.error().message);
  }
  auto listen = net::parse_address(settings.listen);
  if (!listen) fault("listen", listen.error().message);
  if (listen && !listen->loopback()) fault("listen", "is not loopback");
}

}  // namespace patchbay::app
