#include "policy/auth/htpasswd.h"

#include <crypt.h>
#include <fmt/format.h>
#include <openssl/crypto.h>

#include <algorithm>
#include <array>
#include <memory>

#include "core/text.h"

namespace patchbay::policy {
namespace {

constexpr std::array<std::string_view, 6> kGood{"$2y$", "$2b$", "$2a$", "$5$", "$6$", "$y$"};
// For a file without users.
constexpr std::string_view kDecoy = "$2y$05$......................................................";

// crypt() of `password` with the parameters of `hash`; empty if that fails.
std::string crypted(const std::string& password, const std::string& hash) {
  const auto scratch = std::make_unique<crypt_data>();
  const char* const made = ::crypt_r(password.c_str(), hash.c_str(), scratch.get());
  std::string result = made && made[0] != '*' ? made : "";
  OPENSSL_cleanse(scratch.get(), sizeof *scratch);
  return result;
}

}  // namespace

Result<Htpasswd> Htpasswd::parse(std::string_view text) {
  Htpasswd file;
  for (int number = 1; !text.empty(); ++number) {
    const auto end = std::min(text.find('\n'), text.size());
    const auto line = trimmed(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
    if (line.empty() || line.starts_with('#')) continue;
    const auto wrong = [number](std::string_view why) {
      return Error{Code::invalid_params, fmt::format("line {}: {}", number, why)};
    };
    const auto colon = line.find(':');
    if (colon == std::string_view::npos || colon == 0) return wrong("write user:hash");
    const auto user = line.substr(0, colon);
    const auto hash = line.substr(colon + 1, line.substr(colon + 1).find(':'));
    const auto begins = [&](std::string_view kind) { return hash.starts_with(kind); };
    if (std::ranges::none_of(kGood, begins)) {
      return wrong(
          "this is not a hash, or a weak one; make one with `htpasswd -B` or `openssl passwd -6`");
    }
    if (!file.users_.emplace(user, hash).second) return wrong("this user is a duplicate");
  }
  file.decoy_ = file.users_.empty() ? std::string(kDecoy) : file.users_.begin()->second;
  return file;
}

bool Htpasswd::fits(const std::string& user, const std::string& password) const {
  const auto found = users_.find(user);
  const bool known = found != users_.end();
  const std::string& wanted = known ? found->second : decoy_;
  // crypt() would stop at a NUL byte and so accept another password.
  if (password.find('\0') != std::string::npos) return false;
  const std::string made = crypted(password, wanted);
  const bool same =
      made.size() == wanted.size() && CRYPTO_memcmp(made.data(), wanted.data(), wanted.size()) == 0;
  return same && known;
}

}  // namespace patchbay::policy
