#include "policy/auth/jwt.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <array>

#include "core/base64.h"

namespace patchbay::policy {
namespace {

using std::chrono::seconds;

struct Sample {
  std::string_view algorithm;
  std::string_view key;
  std::string_view token;
};

// Made by another program: issued in 2001, good until 2033.
constexpr std::array kSamples{
    Sample{"RS256",
           "{\"kid\": \"k-RS256\", \"alg\": \"RS256\", \"use\": \"sig\", \"kty\": \"RSA\", \"n\": "
           "\"sMqBIWx49"
           "nepfY_CCULOJcpDNh7blq8r07UMeYAdUldTpasecSJq0byVVbR2hcKWSirbH8u81QEjVKt7NA1Fg3k"
           "s1Ejb4WHYJ-42hCxGpEhNllmxmv4bx1t7hWS6jAfNntxGJzehnl67W34ThDoIY5V_TtDZ5ps8aR-3b"
           "Yv5WcPfNUiaElyUn_1USRsgfrHyyPp1J9OH6v-cUWq8-_NBrk1B-8VoS3ezA_eKRkqI31WdEg8aHvO"
           "MVGPElx8hoBbYK7qyraYeCVUSwrs2OfDHDbDG6SI4yJl6tx5yGm7BzCwG9t8xjATPKD1gZJMmxPa2C"
           "lKbvFSDaPpC_aVZ2LPyCQ\", \"e\": \"AQAB\"}",
           "eyJhbGciOiAiUlMyNTYiLCAidHlwIjogImF0K2p3dCIsICJraWQiOiAiay1SUzI1NiJ9.eyJpc3MiO"
           "iAiaHR0cHM6Ly9pc3N1ZXIuZXhhbXBsZSIsICJhdWQiOiAiaHR0cHM6Ly9nYXRld2F5LmV4YW1wbGU"
           "vbWNwIiwgInN1YiI6ICJhbm4iLCAiZXhwIjogMjAwMDAwMDAwMCwgImlhdCI6IDEwMDAwMDAwMDAsI"
           "CJzY29wZSI6ICJhIGIiLCAicm9sZXMiOiBbInIiXX0.lTm3rgp0-W3GLyNQ_TMTx-4mprlvX2qHNa1"
           "prvpra_xAsxt_Sio7fp0ynZYP0ERiIzsqLQqcMdbPQX5xc-twg7kLaV4crdzGsRTirwRPTDxuE4vk9"
           "Y-z2Nq1nqiYKGnuXTinjP48qG2J1LIIrmCTjB-zv5JuvVRBnggbUazjSCaEMUkl6Hr60QQsVTg8bfW"
           "MBBd0bM1mgwKnyHhu8uGMp-X7v1Ys5zAOi93fQ7tBfzRlKw-8ghaEtCJu2MiEfF7cB9qZ79nOEoIf3"
           "axwbCxLXNiBnKRIHybWgQSjIBwI4QYmhHR3PZQ_H_sJYCC_DsA9LN2L-WDm8d63JIABxcHECw"},
    Sample{"PS256",
           "{\"kid\": \"k-PS256\", \"alg\": \"PS256\", \"use\": \"sig\", \"kty\": \"RSA\", \"n\": "
           "\"4ENphptbD"
           "QXDLc95cgpzUuvG3S-V4w-e1EBtgEJ1_PPkJb_llTObH7hjz5-aboZYt59ZQVo6ve97pPjFVs3bGPu"
           "kC_RmOgths97Wb_3BzPt8S4V9-1H-dJM1uSnHah3R3eutFchMr3Hdxe-N51R4xiH2eUU0wp-urN46H"
           "jzcqQSkIX0d6rjuYIizgRCE1vZePVHaDTWJkufpWDgZvjFp6Cny9kpszSvHSr53kCkwqY2JE9eMuXL"
           "NiNkvis2gOKklV0ispLT2TKtfUa2lXGms6zL2K7kikzMLhpqRG61rFcYhnSNcnPu3w2kF8NKq-bwWd"
           "szHYqrefd5H3UnHcKzfVQ\", \"e\": \"AQAB\"}",
           "eyJhbGciOiAiUFMyNTYiLCAidHlwIjogImF0K2p3dCIsICJraWQiOiAiay1QUzI1NiJ9.eyJpc3MiO"
           "iAiaHR0cHM6Ly9pc3N1ZXIuZXhhbXBsZSIsICJhdWQiOiAiaHR0cHM6Ly9nYXRld2F5LmV4YW1wbGU"
           "vbWNwIiwgInN1YiI6ICJhbm4iLCAiZXhwIjogMjAwMDAwMDAwMCwgImlhdCI6IDEwMDAwMDAwMDAsI"
           "CJzY29wZSI6ICJhIGIiLCAicm9sZXMiOiBbInIiXX0.leF0qUyH5DKThIP9FroPr_80y21xKyuupDH"
           "nLJkqmktpwMvT88azESVjduuza6Q04Jy7fB7PNnwWHxlB9VkoNtOeqJHBGKHB2FBoLRxdoL9j8trCZ"
           "m8Uxz26K25-x3DRQx2q1taO1MMfdq_cy1xa0gySTkNAieEMKm2nEV5n2KUu55bTzNc_3RMStD97oeJ"
           "TRGrb4rFGUgpeD6xIY4bwSfGZFeOycYi_AVjbq3IqvEvQH_tSZ4ggen-VPdwc4U0qOGb9d2mIo1IMd"
           "6tud69fe0MBKuKmHXfemTG0hzwETEPDZbTavghMlg6M6KdjOGJKWRKY0dSt2mkdaY_jwxIicQ"},
    Sample{"ES256",
           "{\"kid\": \"k-ES256\", \"alg\": \"ES256\", \"use\": \"sig\", \"kty\": \"EC\", \"crv\": "
           "\"P-256\", "
           "\"x\": \"Bef00spYD7ci-HTWoeza7rOy6iGZSZtaiLBQcNEI0zE\", \"y\": \"Jp_3mvY7-18MYlm_wMkZ"
           "RLiHfkBUJSGRTtRSYNVTh-o\"}",
           "eyJhbGciOiAiRVMyNTYiLCAidHlwIjogImF0K2p3dCIsICJraWQiOiAiay1FUzI1NiJ9.eyJpc3MiO"
           "iAiaHR0cHM6Ly9pc3N1ZXIuZXhhbXBsZSIsICJhdWQiOiAiaHR0cHM6Ly9nYXRld2F5LmV4YW1wbGU"
           "vbWNwIiwgInN1YiI6ICJhbm4iLCAiZXhwIjogMjAwMDAwMDAwMCwgImlhdCI6IDEwMDAwMDAwMDAsI"
           "CJzY29wZSI6ICJhIGIiLCAicm9sZXMiOiBbInIiXX0.YS4pouFwT9mNcAzpsVWl49PCJFPocJoRdry"
           "25VjHy5yUZMGjBzixr2WWpW5NK_-wBOx1KXUHuWBGfmPGfpeEgg"},
    Sample{"EdDSA",
           "{\"kid\": \"k-EdDSA\", \"alg\": \"EdDSA\", \"use\": \"sig\", \"kty\": \"OKP\", "
           "\"crv\": \"Ed25519"
           "\", \"x\": \"QEPA9eIF2YRrX60ha3hKVdsdHYhjNZXbdH5XcUgcsng\"}",
           "eyJhbGciOiAiRWREU0EiLCAidHlwIjogImF0K2p3dCIsICJraWQiOiAiay1FZERTQSJ9.eyJpc3MiO"
           "iAiaHR0cHM6Ly9pc3N1ZXIuZXhhbXBsZSIsICJhdWQiOiAiaHR0cHM6Ly9nYXRld2F5LmV4YW1wbGU"
           "vbWNwIiwgInN1YiI6ICJhbm4iLCAiZXhwIjogMjAwMDAwMDAwMCwgImlhdCI6IDEwMDAwMDAwMDAsI"
           "CJzY29wZSI6ICJhIGIiLCAicm9sZXMiOiBbInIiXX0.huW1vZnjIzw4Ez-KGDtN3XSLfd8hAhY5p6q"
           "pWZSAL-OxEMvSSoamwFjd-9ooA_Sm24Imu01lfXGn4aXnQbrEAw"},
};

const WallTime kNow{seconds(1'500'000'000)};

JwtSettings issuer() {
  JwtSettings settings;
  settings.issuer = "https://issuer.example";
  settings.leeway = config::Duration(30'000);
  return settings;
}

KeySet all_keys() {
  std::string text = "{\"keys\":[";
  for (const auto& sample : kSamples) {
    if (!text.ends_with('[')) text += ',';
    text += sample.key;
  }
  return *KeySet::parse(text + "]}", 10);
}

Result<JwtCaller> check(std::string_view payload, const std::vector<std::string>& scopes = {}) {
  Jwt jwt;
  jwt.payload = payload;
  jwt.issuer = "https://issuer.example";
  const JwtSettings settings = issuer();
  return check_claims(jwt, {settings, "https://gateway.example/mcp", scopes}, kNow);
}

std::string claims(std::string_view more) {
  return fmt::format(
      R"({{"iss":"https://issuer.example","aud":"https://gateway.example/mcp","sub":"ann"{}}})",
      more);
}

TEST(Jwt, AKeyIsUsedForItsStatedPurpose) {
  const std::string key = R"({"kty":"OKP","crv":"Ed25519",)"
                          R"("x":"QEPA9eIF2YRrX60ha3hKVdsdHYhjNZXbdH5XcUgcsng"%})";
  const auto reads = [&](std::string_view more) {
    std::string jwk = key;
    jwk.replace(jwk.find('%'), 1, more);
    return static_cast<bool>(JwsKey::read(jwk));
  };
  for (const auto* good :
       {"", R"(,"use":"sig")", R"(,"key_ops":["verify"])", R"(,"key_ops":["sign","verify"])",
        R"(,"use":"sig","key_ops":["verify"])"}) {
    EXPECT_TRUE(reads(good)) << good;
  }
  for (const auto* bad :
       {R"(,"use":"enc")", R"(,"use":1)", R"(,"use":null)", R"(,"key_ops":[])",
        R"(,"key_ops":["sign"])", R"(,"key_ops":["encrypt","wrapKey"])", R"(,"key_ops":"verify")",
        R"(,"key_ops":null)", R"(,"use":"enc","key_ops":["verify"])",
        R"(,"use":"sig","key_ops":["deriveKey"])"}) {
    EXPECT_FALSE(reads(bad)) << bad;
  }
}

TEST(Jwt, SamplesOfEachKindAreGood) {
  const KeySet keys = all_keys();
  ASSERT_EQ(keys.size(), kSamples.size());
  for (const auto& sample : kSamples) {
    auto jwt = parse_jwt(sample.token);
    ASSERT_TRUE(jwt) << sample.algorithm;
    EXPECT_EQ(name_of(*jwt->algorithm), sample.algorithm);
    const JwsKey* const key = keys.find(jwt->kid, *jwt->algorithm);
    ASSERT_TRUE(key) << sample.algorithm;
    EXPECT_TRUE(key->verify(jwt->text, jwt->signature)) << sample.algorithm;
    const JwtSettings settings = issuer();
    const std::vector<std::string> none;
    auto caller = check_claims(*jwt, {settings, "https://gateway.example/mcp", none}, kNow);
    ASSERT_TRUE(caller) << caller.error().message;
    EXPECT_EQ(caller->principal.id, "jwt:https://issuer.example ann");
    EXPECT_EQ(caller->principal.scopes, (std::vector<std::string>{"a", "b"}));
    EXPECT_EQ(caller->principal.roles, (std::vector<std::string>{"r"}));
    EXPECT_EQ(caller->until, WallTime(seconds(2'000'000'030)));
  }
}

TEST(Jwt, NoSampleIsGoodOnceABitIsChanged) {
  const KeySet keys = all_keys();
  for (const auto& sample : kSamples) {
    for (std::size_t i = 0; i < sample.token.size(); i += 7) {
      std::string changed(sample.token);
      changed[i] = changed[i] == 'A' ? 'B' : 'A';
      auto jwt = parse_jwt(changed);
      if (!jwt) continue;
      const JwsKey* const key = keys.find(jwt->kid, *jwt->algorithm);
      EXPECT_FALSE(key && key->verify(jwt->text, jwt->signature)) << sample.algorithm << i;
    }
  }
}

TEST(Jwt, KeysAreUsedWithTheirOwnAlgorithmOnly) {
  const KeySet keys = all_keys();
  EXPECT_TRUE(keys.find("k-RS256", *find_algorithm("RS256")));
  EXPECT_FALSE(keys.find("k-RS256", *find_algorithm("PS256")));
  EXPECT_FALSE(keys.find("k-RS256", *find_algorithm("RS512")));
  EXPECT_FALSE(keys.find("k-ES256", *find_algorithm("ES384")));
  EXPECT_FALSE(keys.find("other", *find_algorithm("RS256")));
  EXPECT_TRUE(keys.find("", *find_algorithm("RS256")));
  for (const auto* const name : {"none", "HS256", "", "rs256", "RS1"}) {
    EXPECT_FALSE(find_algorithm(name)) << name;
  }
}

TEST(Jwt, KeySetsAreBoundedAndStrict) {
  const std::string one(kSamples[2].key);
  EXPECT_TRUE(KeySet::parse("{\"keys\":[" + one + "]}", 1));
  EXPECT_FALSE(KeySet::parse("{\"keys\":[" + one + "," + one + "]}", 1));
  for (const auto* const text : {"", "[]", "{}", R"({"keys":{}})", R"({"keys":[]})",
                                 R"({"keys":[{"kty":"oct","k":"AAAA"}]})", R"({"keys":[7]})"}) {
    EXPECT_FALSE(KeySet::parse(text, 10)) << text;
  }
  // One name for two keys is ambiguous.
  const auto two = KeySet::parse("{\"keys\":[" + one + "," + one + "]}", 10);
  ASSERT_TRUE(two);
  EXPECT_FALSE(two->find("k-ES256", *find_algorithm("ES256")));
}

TEST(Jwt, ClaimsAreChecked) {
  EXPECT_TRUE(check(claims(R"(,"exp":1500000001)")));
  EXPECT_TRUE(check(claims(R"(,"exp":1499999980.5,"nbf":1500000020)")));
  EXPECT_FALSE(check(claims(R"(,"exp":1499999970)")));
  EXPECT_FALSE(check(claims(R"(,"exp":1500000001,"nbf":1500000031)")));
  EXPECT_FALSE(check(claims(R"(,"exp":1500000001,"iat":1500000031)")));
  EXPECT_FALSE(check(claims("")));
  EXPECT_FALSE(check(claims(R"(,"exp":"1500000001")")));
  EXPECT_FALSE(check(claims(R"(,"exp":1e400)")));
  EXPECT_FALSE(check(R"({"exp":1500000001,"sub":"ann"})"));
  EXPECT_EQ(check(claims(R"(,"exp":1500000001)"), {"tools"}).error().code, Code::forbidden);
  EXPECT_TRUE(check(claims(R"(,"exp":1500000001,"scope":"x tools")"), {"tools"}));
  EXPECT_FALSE(check(claims(R"(,"exp":1500000001,"scope":"xtools")"), {"tools"}));
}

TEST(Jwt, IsTakenApartStrictly) {
  const std::string head = base64url_encode(R"({"alg":"RS256"})");
  const std::string body = base64url_encode("{}");
  EXPECT_TRUE(parse_jwt(head + "." + body + ".AAAA"));
  for (const std::string& text :
       {std::string(), std::string("a"), std::string(".."), head + "." + body,
        head + "." + body + ".", head + "." + body + ".AAAA.", head + "." + body + ".AAAA=",
        head + ".." + "AAAA", head + "." + base64url_encode("[]") + ".AAAA",
        base64url_encode(R"({"alg":"none"})") + "." + body + ".AAAA",
        base64url_encode(R"({"alg":"RS256","crit":["x"]})") + "." + body + ".AAAA",
        base64url_encode(R"({"alg":"RS256","typ":"dpop+jwt"})") + "." + body + ".AAAA",
        base64url_encode(R"({"alg":"RS256","alg":"ES256"})") + "." + body + ".AAAA"}) {
    EXPECT_FALSE(parse_jwt(text)) << text;
  }
}

}  // namespace
}  // namespace patchbay::policy
