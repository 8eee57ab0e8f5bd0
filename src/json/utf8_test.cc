// UTF-8 is checked many bytes at a time. Here each answer is compared with that of a walk that
// takes one character after the other, wherever in a block the bytes come to stand.
#include <gtest/gtest.h>

#include <array>

#include "json/cursor.h"
#include "json/text.h"

namespace patchbay::json {
namespace {

// Where the rules of RFC 3629 change.
constexpr std::array<unsigned char, 14> kSecond{0x00, 0x22, 0x5C, 0x7F, 0x80, 0x8F, 0x90,
                                                0x9F, 0xA0, 0xBF, 0xC0, 0xE0, 0xF0, 0xFF};
constexpr std::array<unsigned char, 5> kLater{0x22, 0x7F, 0x80, 0xBF, 0xC2};

// Calls `visit` with every first byte, followed by each of those.
template <class Visit>
void each_sequence(Visit visit) {
  for (int first = 0; first < 256; ++first) {
    for (const auto second : kSecond) {
      for (const auto third : kLater) {
        for (const auto fourth : kLater) {
          const std::array<char, 4> bytes{static_cast<char>(first), static_cast<char>(second),
                                          static_cast<char>(third), static_cast<char>(fourth)};
          visit(std::string_view(bytes.data(), bytes.size()));
        }
      }
    }
  }
}

std::size_t prefix_by_characters(std::string_view text) {
  std::size_t at = 0;
  while (const std::size_t length = utf8_length(text.substr(at))) at += length;
  return at;
}

// `count` bytes of text: ASCII, or characters of two, three or four bytes.
std::string filling(std::size_t count, std::string_view character) {
  std::string text(count % character.size(), 'x');
  while (text.size() < count) text += character;
  return text;
}

TEST(Utf8, IsTheSameByBlocksAsByCharacters) {
  constexpr std::array<std::string_view, 4> kFillings{"x", "\xC3\xA9", "\xE2\x82\xAC",
                                                      "\xF0\x9F\x98\x80"};
  for (const std::size_t before : {0U, 1U, 2U, 3U, 11U, 12U, 13U, 14U, 15U, 16U, 17U, 29U, 31U}) {
    const auto front = filling(before, kFillings[before % 4]);
    const auto back = filling(40 - before, kFillings[(before + 1) % 4]);
    each_sequence([&](std::string_view sequence) {
      const std::string text = front + std::string(sequence) + back;
      ASSERT_EQ(utf8_prefix(text), prefix_by_characters(text)) << quote(text) << ' ' << before;
    });
  }
}

TEST(Utf8, IsRefusedWhereItBeginsToBeWrong) {
  for (const std::size_t before : {0U, 1U, 2U, 3U, 13U, 14U, 15U, 16U, 30U}) {
    const auto front = filling(before, "\xE2\x82\xAC");
    each_sequence([&](std::string_view sequence) {
      const std::string text = front + std::string(sequence) + std::string(24, 'y');
      if (text.find_first_of(std::string_view("\0\"\\", 3)) != std::string::npos) return;
      const auto first = static_cast<unsigned char>(sequence[0]);
      if (first < 0x20) return;
      const std::size_t valid = prefix_by_characters(text);
      const std::string quoted = "\"" + text + "\"";
      Cursor at(quoted);
      ASSERT_EQ(at.skip(), valid == text.size()) << quote(text);
      if (valid == text.size()) return;
      ASSERT_EQ(at.error().message,
                "invalid JSON at byte " + std::to_string(valid + 1) + ": invalid UTF-8");
    });
  }
}

TEST(Utf8, StringsEndAtTheirQuoteWhateverStandsAround) {
  for (std::size_t size = 0; size < 70; ++size) {
    for (const std::string_view character : {"\xC3\xA9", "\xE2\x82\xAC", "\xF0\x9F\x98\x80"}) {
      const std::string inside = filling(size, character);
      for (const std::string_view after :
           {"", ",1]", ",\"\xC3\xA9\xC3\xA9\xC3\xA9\xC3\xA9\"]   "}) {
        const std::string text = "[\"" + inside + "\"" + std::string(after);
        Cursor at(text);
        std::string_view raw;
        ASSERT_TRUE(at.enter_array() && at.next_element() && at.value(raw));
        ASSERT_EQ(raw, "\"" + inside + "\"");
      }
      const std::string cut = "\"" + inside;
      Cursor open(cut);
      ASSERT_FALSE(open.skip());
      ASSERT_EQ(open.error().message, "invalid JSON at byte " + std::to_string(cut.size()) +
                                          ": the text ends inside a string");
    }
  }
}

TEST(Utf8, IsQuotedCharacterByCharacter) {
  each_sequence([&](std::string_view sequence) {
    const std::string text =
        filling(13, "\xE2\x82\xAC") + std::string(sequence) + filling(21, "\xC3\xA9");
    std::string expected = "\"";
    for (std::size_t at = 0; at < text.size();) {
      const std::size_t length = std::max<std::size_t>(1, utf8_length(text.substr(at)));
      const std::string one = quote(text.substr(at, length));
      expected.append(one, 1, one.size() - 2);
      at += length;
    }
    ASSERT_EQ(quote(text), expected + "\"");
  });
}

}  // namespace
}  // namespace patchbay::json
