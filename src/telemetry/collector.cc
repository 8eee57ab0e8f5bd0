#include "telemetry/collector.h"

#include <fmt/format.h>

#include <algorithm>

#include "core/http_token.h"
#include "net/io/address.h"
#include "telemetry/signal_url.h"

namespace patchbay::telemetry {
namespace {

bool is_this_machine(const net::Url& url) {
  const auto addresses = net::numeric_addresses(url.host, url.port);
  return !addresses.empty() &&
         std::ranges::all_of(addresses, [](const auto& one) { return one.loopback(); });
}

// Fields that the exporter sends itself.
bool is_own_field(std::string_view name) {
  constexpr std::array<std::string_view, 5> kOwn{"Content-Type", "Content-Length", "Host",
                                                 "Transfer-Encoding", "Connection"};
  return std::ranges::any_of(kOwn, [&](std::string_view own) { return same_token(own, name); });
}

// Errors do not contain values: they may be credentials.
Result<std::string> field_lines(const OtlpSettings& settings) {
  std::string lines;
  const auto bad = [](unsigned char c) { return c < 0x20 || c == 0x7F; };
  for (const auto& [name, value] : settings.headers) {
    if (!is_token(name) || std::ranges::any_of(value, bad)) {
      return Error{Code::invalid_params,
                   fmt::format("the header '{}' cannot be sent: its name or value has characters "
                               "that no header may have",
                               name)};
    }
    if (is_own_field(name)) {
      return Error{Code::invalid_params,
                   fmt::format("the header '{}' is set by the gateway itself", name)};
    }
    lines += fmt::format("{}: {}\r\n", name, value);
  }
  return lines;
}

}  // namespace

Result<std::shared_ptr<const Collector>> make_collector(const OtlpSettings& settings) {
  auto collector = std::make_shared<Collector>();
  for (const Signal signal : kSignals) {
    auto url = signal_url(settings.endpoint, name_of(signal));
    if (!url) return url.error();
    collector->urls[static_cast<std::size_t>(signal)] = *std::move(url);
  }
  auto fields = field_lines(settings);
  if (!fields) return fields.error();
  collector->fields = *std::move(fields);
  const net::Url& url = collector->url(Signal::traces);
  if (url.tls) {
    auto context = net::TlsContext::client(settings.tls);
    if (!context) return context.error();
    collector->tls = *std::move(context);
  }
  collector->exposes_headers = !settings.headers.empty() && !url.tls && !is_this_machine(url);
  return std::shared_ptr<const Collector>(std::move(collector));
}

}  // namespace patchbay::telemetry
