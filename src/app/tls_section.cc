#include "app/tls_section.h"

#include "config/fields.h"

#include <fmt/format.h>

#include "config/file.h"
#include "config/trust.h"

namespace patchbay::app {
namespace {

using net::ClientCertificates;

constexpr std::size_t kLargestFile = 64 << 20;  // Certificate revocation lists can be long.

Error wrong_section(std::string message) { return {Code::invalid_params, std::move(message)}; }

// Everything that a handshake depends on, except keys.
std::vector<std::string> public_files(const TlsSection& section) {
  std::vector<std::string> files{section.cert};
  for (const auto& one : section.certificates) files.push_back(one.cert);
  if (section.clients() == ClientCertificates::off) return files;
  files.push_back(section.client_ca);
  if (!section.crl.empty()) files.push_back(section.crl);
  return files;
}

}  // namespace

Result<std::shared_ptr<const net::TlsContext>> tls_context(const TlsSection& section) {
  const auto clients = section.clients();
  if (clients != ClientCertificates::off && section.client_ca.empty()) {
    return wrong_section("client_certificates needs client_ca: the authorities that sign them");
  }
  if (!section.crl.empty() && section.client_ca.empty()) {
    return wrong_section("crl needs client_ca: it lists revoked certificates of clients");
  }
  for (const auto& file : tls_files(section)) {
    const std::string fault = config::untrusted_writers(file);
    if (!fault.empty()) return wrong_section(fmt::format("{} {}", file, fault));
  }
  net::TlsServerSettings settings;
  settings.certificate = {section.cert, section.key};
  for (const auto& one : section.certificates) {
    settings.others.push_back({one.cert, one.key, one.names});
  }
  settings.client_ca = section.client_ca;
  settings.crl = section.crl;
  settings.clients = clients;
  settings.common_names = section.common_name;
  return net::TlsContext::server(settings);
}

std::vector<std::string> tls_files(const TlsSection& section) {
  auto files = public_files(section);
  if (!section.key.empty()) files.push_back(section.key);
  for (const auto& one : section.certificates) {
    if (!one.key.empty()) files.push_back(one.key);
  }
  return files;
}

std::vector<std::string> tls_contents(const TlsSection& section) {
  std::vector<std::string> contents;
  for (const auto& path : public_files(section)) {
    auto file = config::read_file(path, kLargestFile);
    contents.push_back(file ? *std::move(file) : "");
  }
  return contents;
}

}  // namespace patchbay::app

namespace patchbay {

template <>
const config::Fields& config::fields<app::CertificateEntry>() {
  static const Fields kFields = fields_of<app::CertificateEntry>({
      {"names", &app::CertificateEntry::names,
       "Server names for which this certificate is used; `*.example.org` matches one label. "
       "Absent: the DNS names in the certificate."},
      {"cert", &app::CertificateEntry::cert, "PEM file with the certificate and its chain.",
       Required{}},
      {"key", &app::CertificateEntry::key,
       "PEM file with the private key. Absent: the key is in the certificate's file."},
  });
  return kFields;
}

template <>
const config::Fields& config::fields<app::TlsSection>() {
  static const Fields kFields = fields_of<app::TlsSection>({
      {"listen", &app::TlsSection::listen,
       "Address of the HTTPS listener. Port 0: the system chooses.", Required{}},
      {"cert", &app::TlsSection::cert, "PEM file with the certificate and its chain.", Required{}},
      {"key", &app::TlsSection::key,
       "PEM file with the private key. Absent: the key is in the certificate's file."},
      {"certificates", &app::TlsSection::certificates,
       "Further certificates, selected by server name (SNI)."},
      {"client_ca", &app::TlsSection::client_ca,
       "PEM file with the authorities that sign client certificates."},
      {"client_certificates", &app::TlsSection::client_certificates,
       "Whether clients present a certificate: off, optional or required. Absent: required with "
       "client_ca, else off."},
      {"common_name", &app::TlsSection::common_name,
       "Whether the common name of a client certificate counts as one of its names, after those "
       "in subjectAltName."},
      {"crl", &app::TlsSection::crl,
       "PEM file with certificate revocation lists: one valid list of each authority that signs."},
      {"handshake_timeout", &app::TlsSection::handshake_time,
       "Maximum duration of a TLS handshake.", Range{Duration(10), Duration(600'000)},
       Alias{"handshake_time"}},
      {"max_handshakes", &app::TlsSection::handshakes,
       "Maximum number of handshakes in progress per worker. Beyond it, the oldest one is "
       "aborted.",
       Range{1, 1'000'000}, Alias{"handshakes"}},
  });
  return kFields;
}

// All except the address.
template <>
const config::Fields& config::fields<app::WireTlsSection>() {
  static const Fields kFields = [] {
    Fields all = inherited<app::WireTlsSection, app::TlsSection>();
    std::erase_if(all, [](const Field& field) { return field.name == "listen"; });
    return all;
  }();
  return kFields;
}

}  // namespace patchbay
