// What the configuration says about the TLS listener, and the context that is made of it. Values
// only; the files it names are read on the thread of the caller.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "config/fields.h"
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

// The same for a listener that is named elsewhere: that of the wire protocol.
struct WireTlsSection : TlsSection {};

// Reads the files. The error says which is wrong, and how.
Result<std::shared_ptr<const net::TlsContext>> tls_context(const TlsSection& section);

// The files that the section names.
std::vector<std::string> tls_files(const TlsSection& section);

// What is in them, as text that changes when they do; without keys, which change with their
// certificates.
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
inline constexpr auto config::fields<app::CertificateEntry> = std::tuple{
    Field{"names", &app::CertificateEntry::names,
          "Server names for which this certificate is used; `*.example.org` matches one label. "
          "Absent: the DNS names in the certificate."},
    Field{"cert", &app::CertificateEntry::cert, "PEM file with the certificate and its chain.",
          Required{}},
    Field{"key", &app::CertificateEntry::key,
          "PEM file with the private key. Absent: the key is in the certificate's file."},
};

template <>
inline constexpr auto config::fields<app::TlsSection> = std::tuple{
    Field{"listen", &app::TlsSection::listen,
          "Address of the HTTPS listener. Port 0: the system chooses.", Required{}},
    Field{"cert", &app::TlsSection::cert, "PEM file with the certificate and its chain.",
          Required{}},
    Field{"key", &app::TlsSection::key,
          "PEM file with the private key. Absent: the key is in the certificate's file."},
    Field{"certificates", &app::TlsSection::certificates,
          "Further certificates, selected by server name (SNI)."},
    Field{"client_ca", &app::TlsSection::client_ca,
          "PEM file with the authorities that sign client certificates."},
    Field{"client_certificates", &app::TlsSection::client_certificates,
          "Whether clients present a certificate: off, optional or required. Absent: required with "
          "client_ca, else off."},
    Field{"common_name", &app::TlsSection::common_name,
          "Whether the common name of a client certificate counts as one of its names, after those "
          "in subjectAltName."},
    Field{
        "crl", &app::TlsSection::crl,
        "PEM file with certificate revocation lists: one valid list of each authority that signs."},
    Field{"handshake_timeout", &app::TlsSection::handshake_time,
          "Maximum duration of a TLS handshake.", Range{Duration(10), Duration(600'000)},
          Alias{"handshake_time"}},
    Field{"max_handshakes", &app::TlsSection::handshakes,
          "Maximum number of handshakes in progress per worker. Beyond it, the oldest one is "
          "aborted.",
          Range{1, 1'000'000}, Alias{"handshakes"}},
};

// All but where it listens.
template <>
inline constexpr auto config::fields<app::WireTlsSection> =
    std::apply([](const auto& /*listen*/, const auto&... rest) { return std::tuple{rest...}; },
               config::fields<app::TlsSection>);

}  // namespace patchbay
