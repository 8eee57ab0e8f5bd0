#include "net/tls/peer.h"

#include <fmt/format.h>
#include <openssl/evp.h>
#include <openssl/x509v3.h>

#include <algorithm>
#include <array>
#include <memory>
#include <string_view>

namespace patchbay::net {
namespace {

using Kind = TlsName::Kind;

template <auto Free>
struct Freed {
  template <class T>
  void operator()(T* object) const {
    Free(object);
  }
};

// The NID of a kind of name in a certificate.
struct KnownKind {
  int type;
  Kind kind;
};
constexpr std::array kKinds{KnownKind{GEN_URI, Kind::uri}, KnownKind{GEN_DNS, Kind::dns},
                            KnownKind{GEN_EMAIL, Kind::email}};

bool is_clear(std::string_view text) {
  return !text.empty() && std::ranges::all_of(text, [](char c) { return c >= ' ' && c < 0x7f; });
}

std::string_view bytes_of(const ASN1_STRING* text) {
  return {reinterpret_cast<const char*>(ASN1_STRING_get0_data(text)),
          static_cast<std::size_t>(ASN1_STRING_length(text))};
}

void add_alternatives(const X509& certificate, std::vector<TlsName>& names) {
  const std::unique_ptr<GENERAL_NAMES, Freed<GENERAL_NAMES_free>> found(static_cast<GENERAL_NAMES*>(
      X509_get_ext_d2i(&certificate, NID_subject_alt_name, nullptr, nullptr)));
  for (const auto& known : kKinds) {
    for (int i = 0; i < sk_GENERAL_NAME_num(found.get()); ++i) {
      int type = 0;
      const void* const value =
          GENERAL_NAME_get0_value(sk_GENERAL_NAME_value(found.get(), i), &type);
      if (type != known.type) continue;
      const auto text = bytes_of(static_cast<const ASN1_STRING*>(value));
      if (is_clear(text)) names.push_back({known.kind, std::string(text)});
    }
  }
}

// Of several, the last: the most specific one.
void add_common_name(const X509& certificate, std::vector<TlsName>& names) {
  const X509_NAME* const subject = X509_get_subject_name(&certificate);
  int last = -1;
  for (int at = -1; (at = X509_NAME_get_index_by_NID(subject, NID_commonName, at)) >= 0;) last = at;
  if (last < 0) return;
  unsigned char* utf8 = nullptr;
  const auto* const entry = X509_NAME_get_entry(subject, last);
  const int size = ASN1_STRING_to_UTF8(&utf8, X509_NAME_ENTRY_get_data(entry));
  if (size < 0) return;
  const std::string text(reinterpret_cast<const char*>(utf8), static_cast<std::size_t>(size));
  OPENSSL_free(utf8);
  if (is_clear(text)) names.push_back({Kind::common_name, text});
}

std::string subject_of(const X509& certificate) {
  const std::unique_ptr<BIO, Freed<BIO_free>> memory(BIO_new(BIO_s_mem()));
  X509_NAME_print_ex(memory.get(), X509_get_subject_name(&certificate), 0, XN_FLAG_RFC2253);
  char* text = nullptr;
  const long size = BIO_get_mem_data(memory.get(), &text);
  return {text, static_cast<std::size_t>(std::max(size, 0L))};
}

std::string hexadecimal(std::string_view bytes) {
  std::string text;
  for (const char byte : bytes) text += fmt::format("{:02x}", static_cast<unsigned char>(byte));
  return text;
}

std::string fingerprint_of(const X509& certificate) {
  std::array<unsigned char, EVP_MAX_MD_SIZE> digest{};
  unsigned size = 0;
  if (X509_digest(&certificate, EVP_sha256(), digest.data(), &size) != 1) return "";
  return hexadecimal({reinterpret_cast<const char*>(digest.data()), size});
}

}  // namespace

std::vector<TlsName> tls_names(const X509& certificate, bool common_names) {
  std::vector<TlsName> names;
  add_alternatives(certificate, names);
  if (common_names) add_common_name(certificate, names);
  return names;
}

TlsPeer tls_peer(const X509& certificate, bool common_names) {
  return {tls_names(certificate, common_names), subject_of(certificate),
          hexadecimal(bytes_of(X509_get0_serialNumber(&certificate))), fingerprint_of(certificate)};
}

}  // namespace patchbay::net
