// The settings of the TLS listener, and the context that is made from them.
//
// Values only; reads the files on the thread of the caller.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "config/settings.h"
#include "net/tls/context.h"

namespace patchbay::app {

struct CertificateEntry {
  std::vector<std::string> names;
  std::string cert;
  std::string key;
};

struct TlsSection {
  std::string listen;
  std::string cert;
  std::string key;
  std::vector<CertificateEntry> certificates;
  std::string client_ca;
  std::optional<net::ClientCertificates> client_certificates;
  bool common_name = false;
  std::string crl;
  config::Duration handshake_time{5'000};
  int handshakes = 256;

  // The default: a CA that is named is used.
  net::ClientCertificates clients() const {
    if (client_certificates) return *client_certificates;
    return client_ca.empty() ? net::ClientCertificates::off : net::ClientCertificates::required;
  }
};

// The same for another listener: that of the wire protocol.
struct WireTlsSection : TlsSection {};

// Reads the files. The error names the faulty file and the reason.
Result<std::shared_ptr<const net::TlsContext>> tls_context(const TlsSection& section);

// The files that the section names.
std::vector<std::string> tls_files(const TlsSection& section);

// The contents of the files as text that changes with them; without keys, which change together
// with their certificates.
std::vector<std::string> tls_contents(const TlsSection& section);

}  // namespace patchbay::app

namespace patchbay {

template <>
inline constexpr auto config::choices<net::ClientCertificates> = std::array{
    Choice{"off", net::ClientCertificates::off},
    Choice{"optional", net::ClientCertificates::optional},
    Choice{"required", net::ClientCertificates::required},
};

template <>
const config::Fields& config::fields<app::CertificateEntry>();

template <>
const config::Fields& config::fields<app::TlsSection>();

template <>
const config::Fields& config::fields<app::WireTlsSection>();

}  // namespace patchbay
