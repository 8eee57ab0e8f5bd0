// A TlsContext is what the connections of one kind have in common: which certificates are trusted,
// which are presented. Made once per configuration; constant from then on and shared by all
// workers.
//
// TLS 1.2 and newer, without renegotiation and compression; a server accepts only suites with
// authenticated encryption, and no key below OpenSSL's security level 2. ALPN offers HTTP/1.1. The
// cost limits of a handshake are in bounds.h.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "core/result.h"

struct ssl_ctx_st;

namespace patchbay::net {

struct TlsClientSettings {
  std::string ca;    // PEM file of the trusted authorities; empty: those of the system.
  std::string cert;  // PEM file of our own certificate and its chain; empty: none is presented.
  std::string key;   // PEM file of its key.
  std::string server_name;  // The name that the server must prove; empty: the host of the URL.
  bool verify = true;       // False: any server will do.
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

class TlsCertificates;

class TlsContext {
 public:
  // The errors name the file and the problem.
  static Result<std::shared_ptr<const TlsContext>> client(const TlsClientSettings& settings);
  static Result<std::shared_ptr<const TlsContext>> server(const TlsServerSettings& settings);

  TlsContext(const TlsContext&) = delete;
  TlsContext& operator=(const TlsContext&) = delete;
  ~TlsContext();

  ssl_ctx_st* raw() const { return context_; }
  bool is_server() const { return is_server_; }
  bool verify() const { return verify_; }
  bool common_names() const { return common_names_; }
  const std::string& server_name() const { return server_name_; }

 private:
  explicit TlsContext(bool is_server);

  ssl_ctx_st* const context_;
  const bool is_server_;
  bool verify_ = true;
  bool common_names_ = false;
  std::string server_name_;
  std::unique_ptr<const TlsCertificates> certificates_;  // Of a server.
};

}  // namespace patchbay::net
