// The certificates of a server, and the choice of one for a client that names a host (SNI): the one
// for exactly that name, else one with a wildcard for its first label, else the first.
//
// Made with its context and constant from then on; read by all workers. Below: helpers for
// certificates and OpenSSL that all contexts use.
#pragma once

#include <array>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "core/result.h"
#include "net/tls/settings.h"

struct ssl_ctx_st;
struct ssl_st;

namespace patchbay::net {

class TlsCertificates {
 public:
  // Puts the first certificate into `context` and loads the others. The errors name the file.
  static Result<std::unique_ptr<const TlsCertificates>> load(const TlsServerSettings& settings,
                                                             ssl_ctx_st* context);

  // Selects the certificate for `session`, of the context of load(). False: there is none for it.
  bool choose(ssl_st* session) const;

 private:
  struct Freed {
    void operator()(ssl_ctx_st* context) const;
  };
  // A context without connections: it holds a certificate, its chain and its key.
  using Holder = std::unique_ptr<ssl_ctx_st, Freed>;

  void enter(const TlsServerSettings::Certificate& certificate, ssl_ctx_st* holder);
  ssl_ctx_st* find(std::string_view name) const;

  std::vector<Holder> holders_;
  std::map<std::string, ssl_ctx_st*, std::less<>> by_name_;  // Null: the first certificate.
};

// The ALPN protocols, each with its length in front.
inline constexpr std::array<unsigned char, 9> kTlsProtocols{8,   'h', 't', 't', 'p',
                                                            '/', '1', '.', '1'};

// At least 112 bits: RSA keys of 2048, curves of 224, no SHA-1. The system may require more.
void raise_security_level(ssl_ctx_st* context);

// Loads a certificate with its chain, and its key, into `context`. An empty `key` means that the
// key is in the file of the certificate.
Result<void> show_certificate(ssl_ctx_st* context, const std::string& cert, const std::string& key);

// A pipe would block the thread that reads it. A file that is missing is noticed when it is read.
Result<void> check_pem_file(std::string_view what, const std::string& path);

// Why OpenSSL could not read the file. REQUIRES: called at once after that.
Error bad_pem_file(std::string_view what, const std::string& path);

}  // namespace patchbay::net
