// The settings of TLS contexts: the files of certificates and keys, and what peers must prove.
//
// Values only.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "config/settings.h"

namespace patchbay::net {

struct TlsClientSettings {
  std::string ca;    // PEM file of the trusted authorities; empty: those of the system.
  std::string cert;  // PEM file of our own certificate and its chain; empty: none is presented.
  std::string key;   // PEM file of its key.
  std::string server_name;  // The name that the server must prove; empty: the host of the URL.
  bool verify = true;       // False: any server is accepted.

  bool operator==(const TlsClientSettings&) const = default;
};

// Whether clients present a certificate: not requested, optional, or required.
enum class ClientCertificates : std::uint8_t { off, optional, required };

struct TlsServerSettings {
  // A certificate, and the names for which it is presented; empty: those in the certificate.
  struct Certificate {
    std::string cert;  // PEM file of it and its chain.
    std::string key;   // PEM file of its key; empty: it is in the same file.
    std::vector<std::string> names = {};
  };

  Certificate certificate;  // For clients that name no host, or an unknown one.
  std::vector<Certificate> others = {};
  std::string client_ca = {};  // PEM file of the authorities of client certificates.
  std::string crl = {};        // PEM file of their revocation lists; empty: none.
  ClientCertificates clients = ClientCertificates::off;
  bool common_names = false;  // The common name of a client's certificate counts.
};

// A secret that the processes on both sides have.
struct TlsSharedKey {
  std::string name;  // Not secret; tells the keys apart.
  std::string key;   // 32 bytes.
};

}  // namespace patchbay::net

namespace patchbay {

template <>
const config::Fields& config::fields<net::TlsClientSettings>();

}  // namespace patchbay
