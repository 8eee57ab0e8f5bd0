#include "app/tls_section.h"

#include <fmt/format.h>

#include "config/file.h"
#include "config/trust.h"

namespace patchbay::app {
namespace {

using net::ClientCertificates;

constexpr std::size_t kLargestFile = 64 << 20;  // Lists of revoked certificates can be long.

Error wrong_section(std::string message) { return {Code::invalid_params, std::move(message)}; }

// Everything that a handshake depends on, but for keys.
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
    return wrong_section("crl needs client_ca: it says which certificates of clients are revoked");
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
