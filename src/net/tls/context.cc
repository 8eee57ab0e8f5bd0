#include "net/tls/context.h"

#include <fmt/format.h>
#include <openssl/err.h>
#include <openssl/ssl.h>

#include "net/tls/bounds.h"
#include "net/tls/certificates.h"

namespace patchbay::net {
namespace {

// There is no terminal on which to ask for a pass phrase.
int no_pass_phrase(char*, int, int, void*) { return -1; }

}  // namespace

TlsContext::TlsContext(bool is_server)
    : context_(SSL_CTX_new(is_server ? TLS_server_method() : TLS_client_method())),
      is_server_(is_server) {
  SSL_CTX_set_min_proto_version(context_, TLS1_2_VERSION);
  SSL_CTX_set_options(context_, SSL_OP_NO_RENEGOTIATION | SSL_OP_NO_COMPRESSION);
  SSL_CTX_set_mode(context_, SSL_MODE_RELEASE_BUFFERS);
  SSL_CTX_set_read_ahead(context_, 1);  // A small answer needs one read, not one per header.
  SSL_CTX_set_default_passwd_cb(context_, no_pass_phrase);
  bound_handshakes(context_, CertificateCheck::full);
}

TlsContext::~TlsContext() { SSL_CTX_free(context_); }

Result<std::shared_ptr<const TlsContext>> TlsContext::client(const TlsClientSettings& settings) {
  std::shared_ptr<TlsContext> made(new TlsContext(false));
  made->server_name_ = settings.server_name;
  made->verify_ = settings.verify;
  SSL_CTX* const context = made->context_;
  if (auto regular = check_pem_file("ca", settings.ca); !regular) return regular.error();
  ERR_clear_error();
  if (settings.ca.empty()) {
    SSL_CTX_set_default_verify_paths(context);
  } else if (SSL_CTX_load_verify_file(context, settings.ca.c_str()) != 1) {
    return bad_pem_file("ca", settings.ca);
  }
  SSL_CTX_set_verify(context, SSL_VERIFY_PEER, nullptr);
  if (!settings.verify) bound_handshakes(context, CertificateCheck::bounds_only);
  SSL_CTX_set_alpn_protos(context, kTlsProtocols.data(), kTlsProtocols.size());
  if (settings.cert.empty() && !settings.key.empty()) {
    return Error{Code::invalid_params, fmt::format("key '{}' has no cert", settings.key)};
  }
  if (!settings.cert.empty()) {
    auto loaded = show_certificate(context, settings.cert, settings.key);
    if (!loaded) return loaded.error();
  }
  return std::shared_ptr<const TlsContext>(std::move(made));
}

}  // namespace patchbay::net
