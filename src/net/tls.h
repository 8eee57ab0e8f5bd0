// A TlsContext is what the connections of one kind have in common: which certificates are trusted,
// which are shown. Made once per configuration; constant from then on and shared by all workers.
//
// TLS 1.2 and newer. The protocol spoken inside is HTTP/1.1 (ALPN).
#pragma once

#include <memory>
#include <string>

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

struct TlsServerSettings {
  std::string cert;       // PEM file of our certificate and its chain.
  std::string key;        // PEM file of its key.
  std::string client_ca;  // PEM file of those who sign clients; empty: clients show none.
};

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
  const std::string& server_name() const { return server_name_; }

 private:
  explicit TlsContext(bool is_server);

  ssl_ctx_st* const context_;
  const bool is_server_;
  bool verify_ = true;
  std::string server_name_;
};

}  // namespace patchbay::net
