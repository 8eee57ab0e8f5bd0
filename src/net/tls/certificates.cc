#include "net/tls/certificates.h"

#include <fmt/format.h>
#include <openssl/err.h>
#include <openssl/pem.h>
#include <openssl/ssl.h>
#include <sys/stat.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <fstream>

#include "core/text.h"
#include "net/tls/peer.h"

namespace patchbay::net {

Result<void> check_pem_file(std::string_view what, const std::string& path) {
  struct stat status{};
  if (::stat(path.c_str(), &status) != 0 || S_ISREG(status.st_mode)) return ok();
  return Error{Code::invalid_params, fmt::format("{} '{}': is not a regular file", what, path)};
}

Error bad_pem_file(std::string_view what, const std::string& path) {
  std::string why;
  if (std::ifstream file(path); !file) {
    why = std::strerror(errno);
  } else {
    // The first error is the cause; the last may only be the location.
    const auto fault = ERR_peek_error();
    const bool none =
        ERR_GET_LIB(fault) == ERR_LIB_PEM && ERR_GET_REASON(fault) == PEM_R_NO_START_LINE;
    const char* const reason = none ? nullptr : ERR_reason_error_string(fault);
    why = reason ? reason : "there is none in it, in PEM form";
  }
  return {Code::invalid_params, fmt::format("{} '{}': {}", what, path, why)};
}

void raise_security_level(SSL_CTX* context) {
  constexpr int kLevel = 2;
  if (SSL_CTX_get_security_level(context) < kLevel) SSL_CTX_set_security_level(context, kLevel);
}

Result<void> show_certificate(SSL_CTX* context, const std::string& cert, const std::string& key) {
  const std::string& key_file = key.empty() ? cert : key;
  auto regular = check_pem_file("cert", cert);
  if (regular) regular = check_pem_file("key", key_file);
  if (!regular) return regular;
  ERR_clear_error();
  if (SSL_CTX_use_certificate_chain_file(context, cert.c_str()) != 1) {
    return bad_pem_file("cert", cert);
  }
  if (SSL_CTX_use_PrivateKey_file(context, key_file.c_str(), SSL_FILETYPE_PEM) != 1) {
    return bad_pem_file("key", key_file);
  }
  return ok();
}

void TlsCertificates::Freed::operator()(SSL_CTX* context) const { SSL_CTX_free(context); }

Result<std::unique_ptr<const TlsCertificates>> TlsCertificates::load(
    const TlsServerSettings& settings, SSL_CTX* context) {
  auto made = std::make_unique<TlsCertificates>();
  auto loaded = show_certificate(context, settings.certificate.cert, settings.certificate.key);
  if (!loaded) return loaded.error();
  for (const auto& other : settings.others) {
    Holder holder(SSL_CTX_new(TLS_server_method()));
    raise_security_level(holder.get());
    SSL_CTX_set_default_passwd_cb(holder.get(), SSL_CTX_get_default_passwd_cb(context));
    loaded = show_certificate(holder.get(), other.cert, other.key);
    if (!loaded) return loaded.error();
    made->enter(other, holder.get());
    made->holders_.push_back(std::move(holder));
  }
  // Last, so that the names in the certificate do not override configured ones.
  for (const auto& name : tls_names(*SSL_CTX_get0_certificate(context), false)) {
    if (name.kind == TlsName::Kind::dns)
      made->by_name_.try_emplace(ascii_lower(name.text), nullptr);
  }
  return std::unique_ptr<const TlsCertificates>(std::move(made));
}

void TlsCertificates::enter(const TlsServerSettings::Certificate& certificate, SSL_CTX* holder) {
  for (const auto& name : certificate.names) by_name_.try_emplace(ascii_lower(name), holder);
  if (!certificate.names.empty()) return;
  for (const auto& name : tls_names(*SSL_CTX_get0_certificate(holder), false)) {
    if (name.kind == TlsName::Kind::dns) by_name_.try_emplace(ascii_lower(name.text), holder);
  }
}

SSL_CTX* TlsCertificates::find(std::string_view name) const {
  const std::string wanted = ascii_lower(name);
  auto found = by_name_.find(wanted);
  if (found == by_name_.end()) {
    const auto dot = wanted.find('.');
    if (dot != std::string::npos) found = by_name_.find("*" + wanted.substr(dot));
  }
  return found == by_name_.end() ? nullptr : found->second;
}

bool TlsCertificates::choose(SSL* session) const {
  const char* const name = SSL_get_servername(session, TLSEXT_NAMETYPE_host_name);
  SSL_CTX* const holder = name ? find(name) : nullptr;
  if (!holder) return true;
  STACK_OF(X509)* chain = nullptr;
  SSL_CTX_get0_chain_certs(holder, &chain);
  // The first certificate must be removed, or a client could get it because of its type of key.
  SSL_certs_clear(session);
  return SSL_use_cert_and_key(session, SSL_CTX_get0_certificate(holder),
                              SSL_CTX_get0_privatekey(holder), chain, 1) == 1;
}

}  // namespace patchbay::net
