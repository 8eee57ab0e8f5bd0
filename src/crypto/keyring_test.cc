#include "crypto/keyring.h"

#include <gtest/gtest.h>

#include "crypto/hkdf.h"

namespace patchbay::policy {
namespace {

const std::string kOld(32, 'o');
const std::string kNew(40, 'n');

std::string opened(const Keyring& ring, Purpose purpose, const std::string& token,
                   const std::string& context) {
  const auto plain = ring.open(purpose, token, context);
  return plain ? *plain : "refused";
}

// RFC 5869, test cases 1 and 3: the first 32 bytes.
TEST(Hkdf, GivesTheValuesOfTheStandard) {
  const auto hex = [](const Digest& digest) {
    std::string text;
    for (const unsigned char byte : digest) {
      constexpr std::string_view kDigits = "0123456789abcdef";
      text += {kDigits[byte >> 4], kDigits[byte & 15]};
    }
    return text;
  };
  const std::string secret(22, '\x0b');
  std::string salt;
  std::string info;
  for (char c = 0; c <= 0x0c; ++c) salt += c;
  for (int c = 0xf0; c <= 0xf9; ++c) info += static_cast<char>(c);
  EXPECT_EQ(hex(hkdf_sha256(secret, salt, info)),
            "3cb25f25faacd57a90434f64d0362f2a2d2d0a90cf1a5a4c5db02d56ecc4c5bf");
  EXPECT_EQ(hex(hkdf_sha256(secret, "", "")),
            "8da4e775a563c18f715f802a063c5a31b8a11f5c5ee1879ec3454e5f3c738d2d");
}

TEST(Keyring, SealsWithTheFirstKeyAndOpensWithAll) {
  Keyring ring({kOld});
  const std::string before = ring.seal(Purpose::sessions, "plain", "context");
  ring.use({kNew, kOld});
  const std::string after = ring.seal(Purpose::sessions, "plain", "context");
  EXPECT_EQ(opened(ring, Purpose::sessions, before, "context"), "plain");
  EXPECT_EQ(opened(ring, Purpose::sessions, after, "context"), "plain");
  EXPECT_NE(before.substr(0, Keyring::kFingerprint), after.substr(0, Keyring::kFingerprint));
  ring.use({kNew});
  EXPECT_FALSE(ring.open(Purpose::sessions, before, "context"));
  EXPECT_EQ(opened(ring, Purpose::sessions, after, "context"), "plain");
}

TEST(Keyring, ATokenIsForOnePurposeAndOneContext) {
  const Keyring ring({kOld});
  const std::string token = ring.seal(Purpose::sessions, "plain", "context");
  EXPECT_FALSE(ring.open(Purpose::tasks, token, "context"));
  EXPECT_FALSE(ring.open(Purpose::sessions, token, "other"));
  EXPECT_TRUE(ring.knows(Purpose::sessions, token));
  EXPECT_FALSE(ring.knows(Purpose::tasks, token));
}

TEST(Keyring, NothingChangedOrCutIsOpened) {
  const Keyring ring({kOld});
  const std::string token = ring.seal(Purpose::store, "plain", "");
  for (std::size_t size = 0; size < token.size(); ++size) {
    EXPECT_FALSE(ring.open(Purpose::store, token.substr(0, size), "")) << size;
  }
  for (std::size_t at = 0; at < token.size(); ++at) {
    std::string changed = token;
    changed[at] = changed[at] == 'A' ? 'B' : 'A';
    EXPECT_FALSE(ring.open(Purpose::store, changed, "")) << at;
  }
}

TEST(Keyring, MarksAreGoodUnderEveryKey) {
  Keyring ring({kOld});
  const std::string mark = ring.mark(Purpose::tasks, "text");
  EXPECT_EQ(mark, ring.mark(Purpose::tasks, "text"));
  ring.use({kNew, kOld});
  EXPECT_TRUE(ring.is_mark(Purpose::tasks, mark, "text"));
  EXPECT_FALSE(ring.is_mark(Purpose::tasks, mark, "other"));
  EXPECT_FALSE(ring.is_mark(Purpose::tasks, "", "text"));
  ring.use({kNew});
  EXPECT_FALSE(ring.is_mark(Purpose::tasks, mark, "text"));
}

TEST(Keyring, RandomSecretsDiffer) {
  const auto one = Keyring::random_secret();
  const auto other = Keyring::random_secret();
  ASSERT_TRUE(one && other);
  EXPECT_EQ(one->size(), Keyring::kLeastSecret);
  EXPECT_NE(*one, *other);
}

}  // namespace
}  // namespace patchbay::policy
