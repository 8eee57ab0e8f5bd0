// Fuzzes the addresses of clients that proxies state: the PROXY protocol header, read in pieces as
// from a connection, and the headers X-Forwarded-For and Forwarded.
#include "fuzz/require.h"
#include "net/http/server/forwarded.h"
#include "net/io/proxy_protocol.h"

using patchbay::fuzz::require;
using namespace patchbay::net;

namespace {

constexpr std::size_t kMost = 1024;

void read_proxy_header(std::string_view bytes) {
  for (std::size_t used = 0; used <= bytes.size();) {
    auto missing = missing_of_proxy_header(bytes.substr(0, used), kMost);
    if (!missing) return;
    require(used + *missing <= kMost);
    if (*missing == 0) {
      (void)static_cast<bool>(parse_proxy_header(bytes.substr(0, used)));
      return;
    }
    used += *missing;
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const auto text = patchbay::fuzz::text_of(data, size);
  read_proxy_header(text);
  TrustedProxies proxies;
  proxies.from.push_back(*AddressRange::parse("10.0.0.0/8"));
  const PeerAddress from = *forwarded_address("10.0.0.1");
  for (const auto header : {ForwardedHeader::x_forwarded_for, ForwardedHeader::forwarded}) {
    proxies.header = header;
    HttpFields fields;
    fields.add({header == ForwardedHeader::forwarded ? "Forwarded" : "X-Forwarded-For", text});
    (void)forwarded_client(fields, from, proxies);
  }
  return 0;
}
