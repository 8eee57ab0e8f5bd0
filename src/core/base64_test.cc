#include "core/base64.h"

#include <gtest/gtest.h>

#include <cctype>

namespace patchbay {
namespace {

TEST(Base64, CodesTheVectorsOfTheRfc) {
  constexpr std::pair<std::string_view, std::string_view> kVectors[] = {
      {"", ""},
      {"f", "Zg=="},
      {"fo", "Zm8="},
      {"foo", "Zm9v"},
      {"foob", "Zm9vYg=="},
      {"fooba", "Zm9vYmE="},
      {"foobar", "Zm9vYmFy"},
      {"\xFB\xEF\xFF", "++//"},
  };
  for (const auto& [bytes, text] : kVectors) {
    EXPECT_EQ(base64_encode(bytes), text);
    EXPECT_EQ(base64_decode(text), bytes);
  }
}

TEST(Base64, HasAFormForUrls) {
  std::string bytes;
  for (int i = 0; i < 256; ++i) {
    EXPECT_EQ(base64url_decode(base64url_encode(bytes)), bytes) << i;
    bytes += static_cast<char>(i);
  }
  EXPECT_EQ(base64url_encode("\xFB\xEF\xFF\x01"), "--__AQ");
}

TEST(Base64, RefusesACharacterOfAnotherAlphabetWhereverItStands) {
  const std::string code = base64_encode("seventeen letters");  // 24 characters, one of them `=`.
  for (std::size_t at = 0; at + 1 < code.size(); ++at) {
    for (int byte = 0; byte < 256; ++byte) {
      std::string changed = code;
      changed[at] = static_cast<char>(byte);
      const auto decoded = base64_decode(changed);
      const bool known = std::isalnum(byte) != 0 || byte == '+' || byte == '/';
      if (!known) EXPECT_EQ(decoded, std::nullopt) << at << ' ' << byte;
      if (decoded) EXPECT_EQ(base64_encode(*decoded), changed);
    }
  }
}

TEST(Base64, TakesOneCodeForEachText) {
  for (const auto* const text : {"Zg", "Zg=", "Zg===", "Zh==", "Zm9=", "Zm8",
                                 "Z===", "====", "Zm9v ", "Zm-v", "Z=9v", "Zm9vYg==Zg=="}) {
    EXPECT_EQ(base64_decode(text), std::nullopt) << text;
  }
  for (const auto* const text : {"Zg==", "Zh", "Zm9", "Z", "Zm9v+w", "Zm\n9v"}) {
    EXPECT_EQ(base64url_decode(text), std::nullopt) << text;
  }
}

}  // namespace
}  // namespace patchbay
