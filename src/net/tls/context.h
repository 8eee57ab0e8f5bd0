// A TlsContext is the shared state of the connections of one kind: the certificates that are
// trusted, and those that are presented. Made once per configuration; constant from then on and
// shared by all workers.
//
// TLS 1.2 and newer, without renegotiation and compression; a server accepts only suites with
// authenticated encryption, and no key below OpenSSL's security level 2. ALPN offers HTTP/1.1. The
// cost limits of a handshake are in bounds.h.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "core/result.h"
#include "net/tls/settings.h"

struct ssl_ctx_st;

namespace patchbay::net {

class TlsCertificates;

class TlsContext {
 public:
  // The errors name the file and the problem.
  static Result<std::shared_ptr<const TlsContext>> client(const TlsClientSettings& settings);
  static Result<std::shared_ptr<const TlsContext>> server(const TlsServerSettings& settings);

  // Between processes that have a secret in common: TLS 1.3 with a pre-shared key and a
  // Diffie-Hellman exchange. Both sides are authenticated without certificates, and recorded
  // traffic stays secret even if the key is revealed later. A client uses the first key, a server
  // accepts all. REQUIRES: there is at least one.
  static std::shared_ptr<const TlsContext> client_of(std::vector<TlsSharedKey> keys);
  static std::shared_ptr<const TlsContext> server_of(std::vector<TlsSharedKey> keys);

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
  static std::shared_ptr<TlsContext> with_keys(bool is_server, std::vector<TlsSharedKey> keys);

  ssl_ctx_st* const context_;
  const bool is_server_;
  bool verify_ = true;
  bool common_names_ = false;
  std::string server_name_;
  std::unique_ptr<const TlsCertificates> certificates_;  // Of a server.
  std::unique_ptr<const std::vector<TlsSharedKey>> shared_keys_;
};

}  // namespace patchbay::net
