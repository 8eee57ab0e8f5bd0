// A Collector is the destination of telemetry: the URL of each signal, the header fields of
// requests, and TLS. Made with the configuration, so that `patchbay check` finds its errors.
//
// Constant; shared by threads.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "core/result.h"
#include "net/http/syntax/url.h"
#include "net/tls/context.h"
#include "telemetry/settings.h"

namespace patchbay::telemetry {

// The kinds of exported data. Each signal has its own queue, requests and counters.
enum class Signal : std::uint8_t { traces, metrics, logs };
inline constexpr std::array kSignals{Signal::traces, Signal::metrics, Signal::logs};
inline constexpr std::array<std::string_view, kSignals.size()> kSignalNames{"traces", "metrics",
                                                                            "logs"};
inline std::string_view name_of(Signal signal) {
  return kSignalNames[static_cast<std::size_t>(signal)];
}

struct Collector {
  std::array<net::Url, kSignals.size()> urls;  // In the order of kSignals; of one server.
  std::string fields;                          // The header lines of the settings.
  std::shared_ptr<const net::TlsContext> tls;  // Null: plain HTTP.
  bool exposes_headers = false;                // The settings' headers would be sent unencrypted.

  const net::Url& url(Signal signal) const { return urls[static_cast<std::size_t>(signal)]; }
};

// The error states why the settings cannot be used. REQUIRES: there is an endpoint.
Result<std::shared_ptr<const Collector>> make_collector(const OtlpSettings& settings);

}  // namespace patchbay::telemetry
