#include "telemetry/signal_url.h"

namespace patchbay::telemetry {

Result<net::Url> signal_url(std::string_view endpoint, std::string_view signal) {
  auto url = net::parse_url(endpoint);
  if (!url) return url;
  if (url->path.contains('?')) {
    return Error{Code::invalid_params, "the URL of a collector has no query"};
  }
  while (url->path.ends_with('/')) url->path.pop_back();
  url->path += "/v1/";
  url->path += signal;
  return url;
}

}  // namespace patchbay::telemetry
