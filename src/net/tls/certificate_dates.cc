#include "net/tls/certificate_dates.h"

#include <openssl/bio.h>
#include <openssl/pem.h>
#include <openssl/x509.h>

#include <ctime>
#include <memory>

#include "net/tls/certificates.h"

namespace patchbay::net {
namespace {

Result<std::chrono::sys_seconds> seconds_of(const ASN1_TIME* time, const std::string& file) {
  std::tm parts{};
  if (ASN1_TIME_to_tm(time, &parts) != 1) return bad_pem_file("the dates of the certificate", file);
  return std::chrono::sys_seconds(std::chrono::seconds(::timegm(&parts)));
}

}  // namespace

Result<CertificateDates> certificate_dates(const std::string& file) {
  if (auto regular = check_pem_file("the certificate", file); !regular) return regular.error();
  const std::unique_ptr<BIO, decltype(&BIO_free)> bio(BIO_new_file(file.c_str(), "r"), &BIO_free);
  const std::unique_ptr<X509, decltype(&X509_free)> certificate(
      bio ? PEM_read_bio_X509(bio.get(), nullptr, nullptr, nullptr) : nullptr, &X509_free);
  if (!certificate) return bad_pem_file("the certificate", file);
  auto from = seconds_of(X509_get0_notBefore(certificate.get()), file);
  if (!from) return from.error();
  auto until = seconds_of(X509_get0_notAfter(certificate.get()), file);
  if (!until) return until.error();
  return CertificateDates{*from, *until};
}

}  // namespace patchbay::net
