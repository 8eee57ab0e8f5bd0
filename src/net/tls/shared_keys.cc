// TLS with a secret that both sides have.

#include <openssl/ssl.h>

#include <algorithm>
#include <string_view>

#include "net/tls/context.h"

namespace patchbay::net {
namespace {

// The hash of the suite must be that of the key: SHA-256, the default for pre-shared keys.
constexpr const char* kSuite = "TLS_AES_128_GCM_SHA256";
constexpr unsigned char kSuiteNumber[] = {0x13, 0x01};

const std::vector<TlsSharedKey>& keys_of(const SSL* ssl) {
  return *static_cast<const std::vector<TlsSharedKey>*>(SSL_CTX_get_app_data(SSL_get_SSL_CTX(ssl)));
}

// Null if OpenSSL has no memory for it.
SSL_SESSION* session_of(SSL* ssl, const TlsSharedKey& shared) {
  const SSL_CIPHER* const suite = SSL_CIPHER_find(ssl, kSuiteNumber);
  SSL_SESSION* const session = SSL_SESSION_new();
  const auto* const key = reinterpret_cast<const unsigned char*>(shared.key.data());
  if (session && suite && SSL_SESSION_set1_master_key(session, key, shared.key.size()) == 1 &&
      SSL_SESSION_set_cipher(session, suite) == 1 &&
      SSL_SESSION_set_protocol_version(session, TLS1_3_VERSION) == 1) {
    return session;
  }
  SSL_SESSION_free(session);
  return nullptr;
}

int use_key(SSL* ssl, const EVP_MD*, const unsigned char** name, std::size_t* size,
            SSL_SESSION** session) {
  const TlsSharedKey& newest = keys_of(ssl).front();
  *session = session_of(ssl, newest);
  if (!*session) return 0;
  *name = reinterpret_cast<const unsigned char*>(newest.name.data());
  *size = newest.name.size();
  return 1;
}

// Without a known key the handshake fails, because there is no certificate either.
int find_key(SSL* ssl, const unsigned char* name, std::size_t size, SSL_SESSION** session) {
  const std::string_view wanted(reinterpret_cast<const char*>(name), size);
  const auto& keys = keys_of(ssl);
  const auto found = std::ranges::find(keys, wanted, &TlsSharedKey::name);
  *session = found == keys.end() ? nullptr : session_of(ssl, *found);
  return found == keys.end() || *session ? 1 : 0;
}

}  // namespace

std::shared_ptr<TlsContext> TlsContext::with_keys(bool is_server, std::vector<TlsSharedKey> keys) {
  std::shared_ptr<TlsContext> made(new TlsContext(is_server));
  made->shared_keys_ = std::make_unique<std::vector<TlsSharedKey>>(std::move(keys));
  SSL_CTX* const context = made->context_;
  SSL_CTX_set_app_data(context, const_cast<std::vector<TlsSharedKey>*>(made->shared_keys_.get()));
  SSL_CTX_set_min_proto_version(context, TLS1_3_VERSION);
  SSL_CTX_set_ciphersuites(context, kSuite);
  SSL_CTX_set_session_cache_mode(context, SSL_SESS_CACHE_OFF);
  SSL_CTX_set_num_tickets(context, 0);
  if (is_server) {
    SSL_CTX_set_psk_find_session_callback(context, find_key);
  } else {
    SSL_CTX_set_verify(context, SSL_VERIFY_PEER, nullptr);
    SSL_CTX_set_psk_use_session_callback(context, use_key);
  }
  return made;
}

std::shared_ptr<const TlsContext> TlsContext::client_of(std::vector<TlsSharedKey> keys) {
  return with_keys(false, std::move(keys));
}

std::shared_ptr<const TlsContext> TlsContext::server_of(std::vector<TlsSharedKey> keys) {
  return with_keys(true, std::move(keys));
}

}  // namespace patchbay::net
