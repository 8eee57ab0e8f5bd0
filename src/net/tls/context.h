// A TlsContext is what the connections of one kind have in common: which certificates are trusted,
// which are shown. Made once per configuration; constant from then on and shared by all workers.
//
// TLS 1.2 and newer, without renegotiation and compression; a server takes suites with
// authenticated encryption only, and no key below OpenSSL's security level 2. HTTP/1.1 is spoken
// inside (ALPN). What a handshake may cost is in tls_bounds.h.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "core/result.h"

struct ssl_ctx_st;

namespace patchbay::net {

struct TlsClientSettings {
  std::string ca;           // PEM file of those who are trusted; empty: as the system does.
  std::string cert;         // PEM file of our own certificate and its chain; empty: none is shown.
  std::string key;          // PEM file of its key.
  std::string server_name;  // What the server must prove to be; empty: the host of the URL.
  bool verify = true;       // False: any server will do.
};

// Whether clients show a certificate: they are not asked, may, or must.
enum class ClientCertificates : std::uint8_t { off, optional, required };

struct TlsServerSettings {
  // A certificate, and the names for which it is shown; none: those in the certificate.
  struct Certificate {
    std::string cert;  // PEM file of it and its chain.
    std::string key;   // PEM file of its key; empty: it is in the same file.
    std::vector<std::string> names = {};
  };

  Certificate certificate;  // For whoever asks for no name, or for one we do not have.
  std::vector<Certificate> others = {};
  std::string client_ca = {};  // PEM file of those who sign clients.
  std::string crl = {};        // PEM file of what they have revoked; empty: nothing.
  ClientCertificates clients = ClientCertificates::off;
  bool common_names = false;  // The common name of a client's certificate counts.
};

class TlsCertificates;

class TlsContext {
 public:
  // The errors name the file and what is wrong with it.
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
