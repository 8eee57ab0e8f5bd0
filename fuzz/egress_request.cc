// Fuzzes requests of a sandbox to the proxy, and the entries of a list of destinations. A
// destination is a host and a port that can be written and read again, and the request for the
// server is one head.
#include "egress/request.h"
#include "fuzz/require.h"
#include "net/http/syntax/parse.h"
#include "sandbox/egress.h"

namespace {

using namespace patchbay;

void check_destination(const sandbox::Destination& destination) {
  fuzz::require(!destination.host.empty() && destination.port >= 1 && destination.port <= 65535);
  const auto again = sandbox::parse_destination(destination.text());
  fuzz::require(again && again->text() == destination.text());
  // An entry made of the destination allows it.
  const auto rules = sandbox::EgressRules::parse({destination.text()});
  fuzz::require(rules && rules->lists(*again));
}

void check_request(std::string_view text) {
  const auto size = upstreams::egress_head_size(text);
  if (size == 0) return;
  const auto request = upstreams::parse_egress_request(text.substr(0, size));
  if (!request) {
    const int status = net::parse_status(request.error());
    fuzz::require(status >= 400 && status < 600);
    return;
  }
  check_destination(request->destination);
  if (request->tunnel) return;
  net::HttpRequest head;
  const auto read = net::parse_request(request->head, {}, head);
  fuzz::require(read && *read == request->head.size() && head.target.front() == '/');
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const auto text = fuzz::text_of(data, size);
  check_request(text);
  const auto destination = sandbox::parse_destination(text);
  if (destination) check_destination(*destination);
  (void)sandbox::EgressRules::parse({std::string(text)});
  return 0;
}
