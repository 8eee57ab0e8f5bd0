// A TlsPeer is the verified identity of the other side of a TLS connection: the names in its
// certificate, and the fingerprint of that certificate.
//
// Values only.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

struct x509_st;

namespace patchbay::net {

struct TlsName {
  enum class Kind : std::uint8_t { uri, dns, email, common_name };

  Kind kind;
  std::string text;

  bool operator==(const TlsName&) const = default;
};

struct TlsPeer {
  // URIs first, then DNS names, then e-mail addresses. A name with a control character or a byte
  // above ASCII is left out: it could be mistaken for another.
  std::vector<TlsName> names;
  std::string subject;      // As RFC 2253 writes it; for people.
  std::string serial;       // Hexadecimal.
  std::string fingerprint;  // SHA-256 of the certificate, hexadecimal.
};

// The common name of the subject is included, as the last one, only with `common_names`: an
// authority may not have checked it.
TlsPeer tls_peer(const x509_st& certificate, bool common_names);

// The names alone.
std::vector<TlsName> tls_names(const x509_st& certificate, bool common_names);

}  // namespace patchbay::net
