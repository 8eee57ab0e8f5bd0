// Fuzzes the input of unauthenticated clients and the answers of an issuer: tokens, their claims,
// key sets. No token is accepted without a verified signature, so claims alone never authenticate.
#include "policy/auth/jwt.h"
#include "fuzz/require.h"

using patchbay::fuzz::require;
using namespace patchbay::policy;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const auto text = patchbay::fuzz::text_of(data, size);
  if (const auto jwt = parse_jwt(text)) {
    require(jwt->algorithm && !jwt->signature.empty() && text.starts_with(jwt->text));
    JwtSettings settings;
    settings.issuer = jwt->issuer;
    const std::vector<std::string> scopes;
    const auto caller = check_claims(*jwt, {settings, "a", scopes}, WallTime());
    if (caller) require(!caller->principal.name.empty() && caller->until > WallTime());
  }
  if (const auto keys = KeySet::parse(text, 100)) {
    require(keys->size() > 0 && keys->size() <= 100);
    if (const auto* const key = keys->find("", *find_algorithm("ES256"))) {
      require(!key->verify("text", text));
    }
  }
  return 0;
}
