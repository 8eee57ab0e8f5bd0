#include "net/tls/settings.h"

#include "config/fields.h"

namespace patchbay {

template <>
const config::Fields& config::fields<net::TlsClientSettings>() {
  static const Fields kFields = fields_of<net::TlsClientSettings>({
      {"ca", &net::TlsClientSettings::ca,
       "PEM file with trusted certificates. Empty: those of the system."},
      {"cert", &net::TlsClientSettings::cert,
       "PEM file with the client certificate, for servers that require one."},
      {"key", &net::TlsClientSettings::key,
       "PEM file with the private key of the client certificate."},
      {"server_name", &net::TlsClientSettings::server_name,
       "Name that the server's certificate must have. Empty: the host of the URL."},
      {"verify", &net::TlsClientSettings::verify,
       "Whether the server's certificate is verified. Turn it off only for a machine of your "
       "own."},
  });
  return kFields;
}

}  // namespace patchbay
