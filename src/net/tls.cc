#include "net/tls.h"

#include <fmt/format.h>
#include <openssl/err.h>
#include <openssl/ssl.h>

#include <cerrno>
#include <cstring>
#include <fstream>

namespace patchbay::net {
namespace {

constexpr unsigned char kProtocols[] = "\x08http/1.1";  // Each with its length in front.
constexpr unsigned kProtocolsSize = sizeof kProtocols - 1;
constexpr unsigned char kSessionKind[] = "patchbay";

Error bad_file(std::string_view what, const std::string& path) {
  std::string why;
  if (std::ifstream file(path); !file) {
    why = std::strerror(errno);
  } else {
    const char* const reason = ERR_reason_error_string(ERR_peek_last_error());
    why = reason ? reason : "it is not in PEM form";
  }
  return {Code::invalid_params, fmt::format("{} '{}': {}", what, path, why)};
}

// Nobody is there to be asked for a pass phrase.
int no_pass_phrase(char*, int, int, void*) { return -1; }

int choose_protocol(SSL*, const unsigned char** chosen, unsigned char* size,
                    const unsigned char* offered, unsigned offered_size, void*) {
  unsigned char* found = nullptr;
  const int match =
      SSL_select_next_proto(&found, size, kProtocols, kProtocolsSize, offered, offered_size);
  *chosen = found;
  return match == OPENSSL_NPN_NEGOTIATED ? SSL_TLSEXT_ERR_OK : SSL_TLSEXT_ERR_ALERT_FATAL;
}

// An empty `key` means that the key is in the file of the certificate.
Result<void> show(SSL_CTX* context, const std::string& cert, const std::string& key) {
  ERR_clear_error();
  if (SSL_CTX_use_certificate_chain_file(context, cert.c_str()) != 1) return bad_file("cert", cert);
  const std::string& key_file = key.empty() ? cert : key;
  if (SSL_CTX_use_PrivateKey_file(context, key_file.c_str(), SSL_FILETYPE_PEM) != 1) {
    return bad_file("key", key_file);
  }
  return ok();
}

}  // namespace

TlsContext::TlsContext(bool is_server)
    : context_(SSL_CTX_new(is_server ? TLS_server_method() : TLS_client_method())),
      is_server_(is_server) {
  SSL_CTX_set_min_proto_version(context_, TLS1_2_VERSION);
  SSL_CTX_set_options(context_, SSL_OP_NO_RENEGOTIATION | SSL_OP_NO_COMPRESSION);
  SSL_CTX_set_mode(context_, SSL_MODE_RELEASE_BUFFERS);
  SSL_CTX_set_read_ahead(context_, 1);  // A small answer is one read, not one per header.
  SSL_CTX_set_default_passwd_cb(context_, no_pass_phrase);
}

TlsContext::~TlsContext() { SSL_CTX_free(context_); }

Result<std::shared_ptr<const TlsContext>> TlsContext::client(const TlsClientSettings& settings) {
  std::shared_ptr<TlsContext> made(new TlsContext(false));
  made->server_name_ = settings.server_name;
  made->verify_ = settings.verify;
  SSL_CTX* const context = made->context_;
  ERR_clear_error();
  if (settings.ca.empty()) {
    SSL_CTX_set_default_verify_paths(context);
  } else if (SSL_CTX_load_verify_file(context, settings.ca.c_str()) != 1) {
    return bad_file("ca", settings.ca);
  }
  SSL_CTX_set_verify(context, settings.verify ? SSL_VERIFY_PEER : SSL_VERIFY_NONE, nullptr);
  SSL_CTX_set_alpn_protos(context, kProtocols, kProtocolsSize);
  if (settings.cert.empty() && !settings.key.empty()) {
    return Error{Code::invalid_params, fmt::format("key '{}' has no cert", settings.key)};
  }
  if (!settings.cert.empty()) {
    auto shown = show(context, settings.cert, settings.key);
    if (!shown) return shown.error();
  }
  return std::shared_ptr<const TlsContext>(std::move(made));
}

Result<std::shared_ptr<const TlsContext>> TlsContext::server(const TlsServerSettings& settings) {
  std::shared_ptr<TlsContext> made(new TlsContext(true));
  SSL_CTX* const context = made->context_;
  auto shown = show(context, settings.cert, settings.key);
  if (!shown) return shown.error();
  SSL_CTX_set_alpn_select_cb(context, choose_protocol, nullptr);
  SSL_CTX_set_session_id_context(context, kSessionKind, sizeof kSessionKind - 1);
  if (!settings.client_ca.empty()) {
    auto* const names = SSL_load_client_CA_file(settings.client_ca.c_str());
    if (!names || SSL_CTX_load_verify_file(context, settings.client_ca.c_str()) != 1) {
      return bad_file("client_ca", settings.client_ca);
    }
    SSL_CTX_set_client_CA_list(context, names);
    SSL_CTX_set_verify(context, SSL_VERIFY_PEER | SSL_VERIFY_FAIL_IF_NO_PEER_CERT, nullptr);
  }
  return std::shared_ptr<const TlsContext>(std::move(made));
}

}  // namespace patchbay::net
