// Fuzzes URLs and references to them: an accepted URL can be sent in a request line and a Host
// header as it is, and is read as the same after it was written.
#include "net/http/syntax/url.h"
#include "fuzz/require.h"

using patchbay::fuzz::require;

namespace {

void check(const patchbay::net::Url& url) {
  for (const auto& part : {url.path, url.authority()}) {
    for (const char c : part) require(c > 0x20 && c < 0x7F && c != '#');
  }
  require(url.path.starts_with('/') && !url.host.empty() && url.port >= 1 && url.port <= 65535);
  const auto again = patchbay::net::parse_url(url.text());
  require(again && again->path == url.path && again->origin() == url.origin());
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace patchbay::net;
  const auto text = patchbay::fuzz::text_of(data, size);
  if (const auto url = parse_url(text)) check(*url);
  const auto base = parse_url("https://[::1]:8443/a/b/c?d");
  if (const auto url = resolve_reference(*base, text)) check(*url);
  return 0;
}
