#include "crypto/seal.h"

#include <openssl/crypto.h>
#include <openssl/evp.h>
#include <openssl/hmac.h>
#include <openssl/rand.h>
#include <sys/random.h>

#include <cstdlib>
#include <limits>
#include <memory>

#include "core/base64.h"

namespace patchbay::policy {
namespace {

// nonce, ciphertext, tag.
constexpr std::size_t kNonce = 12;
constexpr std::size_t kTag = 16;
constexpr std::size_t kMark =
    12;  // Bytes of a mark: 96 bits are enough if each guess needs a request.
constexpr std::size_t kMostBytes = std::numeric_limits<int>::max() / 2;

const unsigned char* bytes(std::string_view text) {
  return reinterpret_cast<const unsigned char*>(text.data());
}
unsigned char* bytes(std::string& text) { return reinterpret_cast<unsigned char*>(text.data()); }
int length(std::string_view text) { return static_cast<int>(text.size()); }

// Without memory or randomness nothing can be sealed, and an unsealed answer would be worse than
// none.
void must(bool done) {
  if (!done) std::abort();
}

// Looking up the cipher takes longer than using it, so each thread caches one per direction.
struct Cipher {
  explicit Cipher(bool seals) : context(EVP_CIPHER_CTX_new(), &EVP_CIPHER_CTX_free) {
    static EVP_CIPHER* const kind = EVP_CIPHER_fetch(nullptr, "AES-256-GCM", nullptr);
    must(context && kind &&
         EVP_CipherInit_ex2(context.get(), kind, nullptr, nullptr, seals ? 1 : 0, nullptr) == 1);
  }

  // Sets key, nonce and context; the text follows.
  void begin(const Sealer::Key& key, const unsigned char* nonce, std::string_view about) {
    must(EVP_CipherInit_ex2(context.get(), nullptr, key.data(), nonce, -1, nullptr) == 1);
    update(nullptr, about);
  }

  // A null pointer means the end of the text to OpenSSL, so an empty text is not passed.
  void update(unsigned char* out, std::string_view in) {
    int ignored = 0;
    must(in.empty() || EVP_CipherUpdate(context.get(), out, &ignored, bytes(in), length(in)) == 1);
  }

  std::unique_ptr<EVP_CIPHER_CTX, decltype(&EVP_CIPHER_CTX_free)> context;
};

}  // namespace

Sealer::~Sealer() { OPENSSL_cleanse(key_.data(), key_.size()); }

Result<Sealer> Sealer::random() {
  Key key;
  // From the kernel: OpenSSL's generator initialises the whole library, which takes milliseconds
  // and megabytes, and most gateways never seal anything.
  if (::getrandom(key.data(), key.size(), 0) != static_cast<ssize_t>(key.size())) {
    return Error{Code::internal, "there is no randomness to make a key from"};
  }
  Sealer sealer(key);
  OPENSSL_cleanse(key.data(), key.size());
  return sealer;
}

std::string Sealer::seal(std::string_view plain, std::string_view context) const {
  must(plain.size() < kMostBytes && context.size() < kMostBytes);
  thread_local Cipher cipher(true);
  std::string raw(kNonce + plain.size() + kTag, '\0');
  unsigned char* const nonce = bytes(raw);
  unsigned char* const code = nonce + kNonce;
  must(RAND_bytes(nonce, kNonce) == 1);
  cipher.begin(key_, nonce, context);
  cipher.update(code, plain);
  EVP_CIPHER_CTX* const evp = cipher.context.get();
  int ignored = 0;
  unsigned char* const tag = code + plain.size();
  must(EVP_CipherFinal_ex(evp, tag, &ignored) == 1);
  must(EVP_CIPHER_CTX_ctrl(evp, EVP_CTRL_AEAD_GET_TAG, kTag, tag) == 1);
  return base64url_encode(raw);
}

std::string Sealer::mark(std::string_view text) const {
  // Derived, so that the use of one key does not weaken the other.
  const auto digest = [](std::string_view key, std::string_view of) {
    std::string made(EVP_MAX_MD_SIZE, '\0');
    unsigned int size = 0;
    must(HMAC(EVP_sha256(), key.data(), length(key), bytes(of), of.size(), bytes(made), &size));
    made.resize(size);
    return made;
  };
  const std::string_view key(reinterpret_cast<const char*>(key_.data()), key_.size());
  return base64url_encode(digest(digest(key, "marks"), text).substr(0, kMark));
}

bool Sealer::is_mark(std::string_view mark, std::string_view text) const {
  const std::string good = this->mark(text);
  return mark.size() == good.size() && CRYPTO_memcmp(mark.data(), good.data(), good.size()) == 0;
}

Result<std::string> Sealer::open(std::string_view sealed, std::string_view context) const {
  Error refused{Code::invalid_params, "was not made here, or has been changed"};
  if (sealed.size() > kMostBytes || context.size() > kMostBytes) return refused;
  auto raw = base64url_decode(sealed);
  if (!raw || raw->size() < kNonce + kTag) return refused;
  thread_local Cipher cipher(false);
  unsigned char* const nonce = bytes(*raw);
  std::string plain(raw->size() - kNonce - kTag, '\0');
  unsigned char* const tag = nonce + kNonce + plain.size();
  cipher.begin(key_, nonce, context);
  cipher.update(bytes(plain), std::string_view(*raw).substr(kNonce, plain.size()));
  EVP_CIPHER_CTX* const evp = cipher.context.get();
  int ignored = 0;
  must(EVP_CIPHER_CTX_ctrl(evp, EVP_CTRL_AEAD_SET_TAG, kTag, tag) == 1);
  // Compares the tag.
  if (EVP_CipherFinal_ex(evp, bytes(plain), &ignored) != 1) return refused;
  return plain;
}

}  // namespace patchbay::policy
