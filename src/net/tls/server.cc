// The server's kind of TlsContext.
#include <openssl/err.h>
#include <openssl/ssl.h>
#include <openssl/x509_vfy.h>

#include "net/tls/certificates.h"
#include "net/tls/context.h"

namespace patchbay::net {
namespace {

// TLS 1.3 has no others; of TLS 1.2, those with authenticated encryption and forward secrecy.
constexpr const char* kServerCiphers = "ECDHE+AESGCM:ECDHE+CHACHA20";
constexpr unsigned char kSessionKind[] = "patchbay";
constexpr long kTicketSeconds = 3600;

int choose_protocol(SSL*, const unsigned char** chosen, unsigned char* size,
                    const unsigned char* offered, unsigned offered_size, void*) {
  unsigned char* found = nullptr;
  const int match = SSL_select_next_proto(&found, size, kTlsProtocols.data(), kTlsProtocols.size(),
                                          offered, offered_size);
  *chosen = found;
  return match == OPENSSL_NPN_NEGOTIATED ? SSL_TLSEXT_ERR_OK : SSL_TLSEXT_ERR_ALERT_FATAL;
}

int choose_certificate(SSL* session, void* certificates) {
  return static_cast<const TlsCertificates*>(certificates)->choose(session) ? 1 : 0;
}

// Every authority of a client's chain must have a revocation list that has not expired: otherwise
// revoked certificates would go unnoticed.
Result<void> load_revoked(SSL_CTX* context, const std::string& crl) {
  if (auto regular = check_pem_file("crl", crl); !regular) return regular;
  X509_STORE* const store = SSL_CTX_get_cert_store(context);
  X509_LOOKUP* const files = X509_STORE_add_lookup(store, X509_LOOKUP_file());
  ERR_clear_error();
  if (!files || X509_load_crl_file(files, crl.c_str(), X509_FILETYPE_PEM) < 1) {
    return bad_pem_file("crl", crl);
  }
  X509_VERIFY_PARAM_set_flags(SSL_CTX_get0_param(context),
                              X509_V_FLAG_CRL_CHECK | X509_V_FLAG_CRL_CHECK_ALL);
  return ok();
}

Result<void> ask_clients(SSL_CTX* context, const TlsServerSettings& settings) {
  if (auto regular = check_pem_file("client_ca", settings.client_ca); !regular) return regular;
  ERR_clear_error();
  auto* const names = SSL_load_client_CA_file(settings.client_ca.c_str());
  if (!names) return bad_pem_file("client_ca", settings.client_ca);
  SSL_CTX_set_client_CA_list(context, names);
  if (SSL_CTX_load_verify_file(context, settings.client_ca.c_str()) != 1) {
    return bad_pem_file("client_ca", settings.client_ca);
  }
  const bool must = settings.clients == ClientCertificates::required;
  SSL_CTX_set_verify(context, SSL_VERIFY_PEER | (must ? SSL_VERIFY_FAIL_IF_NO_PEER_CERT : 0),
                     nullptr);
  return settings.crl.empty() ? ok() : load_revoked(context, settings.crl);
}

}  // namespace

Result<std::shared_ptr<const TlsContext>> TlsContext::server(const TlsServerSettings& settings) {
  std::shared_ptr<TlsContext> made(new TlsContext(true));
  made->common_names_ = settings.common_names;
  SSL_CTX* const context = made->context_;
  raise_security_level(context);
  SSL_CTX_set_cipher_list(context, kServerCiphers);
  SSL_CTX_set_options(context, SSL_OP_CIPHER_SERVER_PREFERENCE | SSL_OP_PRIORITIZE_CHACHA);
  auto certificates = TlsCertificates::load(settings, context);
  if (!certificates) return certificates.error();
  made->certificates_ = *std::move(certificates);
  SSL_CTX_set_cert_cb(context, choose_certificate,
                      const_cast<TlsCertificates*>(made->certificates_.get()));
  SSL_CTX_set_alpn_select_cb(context, choose_protocol, nullptr);
  // Sessions are resumed by tickets, which clients store: they need no memory here, every worker
  // can resume them, and they end with this context, so that no session outlives its trust.
  SSL_CTX_set_session_id_context(context, kSessionKind, sizeof kSessionKind - 1);
  SSL_CTX_set_session_cache_mode(context, SSL_SESS_CACHE_OFF);
  SSL_CTX_set_timeout(context, kTicketSeconds);
  SSL_CTX_set_num_tickets(context, 1);
  if (settings.clients != ClientCertificates::off) {
    auto asked = ask_clients(context, settings);
    if (!asked) return asked.error();
  }
  return std::shared_ptr<const TlsContext>(std::move(made));
}

}  // namespace patchbay::net
