#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <sstream>

#include "json/read.h"

namespace patchbay::json {
namespace {

TEST(Cursor, TakesRawSlicesOfMembers) {
  std::string_view id;
  std::string_view params;
  Cursor at(R"( { "id" : 7 , "params":{"a":[1,2,{"b":null}]}, "x\u0079":true } )");
  ASSERT_TRUE(at.enter_object());
  std::string_view key;
  bool saw_escaped_key = false;
  while (at.next_member(key)) {
    if (key == "id") {
      at.value(id);
    } else if (key == "params") {
      at.value(params);
    } else {
      saw_escaped_key = key == "xy";
      at.skip();
    }
  }
  EXPECT_TRUE(at.finish());
  EXPECT_EQ(id, "7");
  EXPECT_EQ(params, R"({"a":[1,2,{"b":null}]})");
  EXPECT_TRUE(saw_escaped_key);
  EXPECT_FALSE(at.saw_line_break());
}

TEST(Cursor, ReportsFaultsWithTheirLocation) {
  const auto fault = [](std::string_view text) { return check(text).error().message; };
  EXPECT_EQ(fault("{\"a\":1,}"), "invalid JSON at byte 7: a key is expected");
  EXPECT_EQ(fault("[1 2]"), "invalid JSON at byte 3: a comma or the end of the array is expected");
  EXPECT_EQ(fault("\"a\nb\""),
            "invalid JSON at byte 2: a control character in a string must be escaped");
  EXPECT_EQ(fault("1 1"), "invalid JSON at byte 2: something follows the value");
  EXPECT_EQ(fault(""), "invalid JSON at byte 0: a value is expected");
  EXPECT_EQ(fault("\"\xC0\x80\""), "invalid JSON at byte 1: invalid UTF-8");
}

TEST(Cursor, RefusesDepthBeyondTheLimit) {
  const std::string deepest = std::string(64, '[') + std::string(64, ']');
  EXPECT_TRUE(check(deepest));
  EXPECT_FALSE(check("[" + deepest + "]"));
  EXPECT_FALSE(check(std::string(100000, '[')));
  EXPECT_FALSE(check(std::string(kMaxNumber + 1, '1')));
}

TEST(Cursor, NoticesLineBreaksBetweenValuesOnly) {
  Cursor compact(R"({"a":"b\nc"})");
  ASSERT_TRUE(compact.skip());
  EXPECT_FALSE(compact.saw_line_break());
  const std::string_view text = "{\n\"a\":1}";
  Cursor spread(text);
  ASSERT_TRUE(spread.skip());
  EXPECT_TRUE(spread.saw_line_break());
  EXPECT_EQ(on_one_line(text), "{ \"a\":1}");
}

TEST(Text, QuotesAndUnquotes) {
  const std::string text = "a\"b\\c\n\t\x01 \xC3\xA9 \xF0\x9F\x98\x80";
  const std::string raw = quote(text);
  ASSERT_TRUE(check(raw));
  EXPECT_EQ(*unquote(raw), text);
  EXPECT_EQ(*unquote(R"("\ud83d\ude00\/\u00e9")"), "\xF0\x9F\x98\x80/\xC3\xA9");
  EXPECT_FALSE(unquote(R"("\ud83d")"));
  EXPECT_FALSE(unquote(R"("\ude00\ud83d")"));
  EXPECT_EQ(quote("\xFF"), "\"\xEF\xBF\xBD\"");
}

// Bytes are looked at in blocks of sixteen and eight, the last ones of which overlap, or singly.
TEST(Text, FindsSpecialBytesAtEveryOffset) {
  for (std::size_t size = 1; size < 40; ++size) {
    for (std::size_t offset = 0; offset < size; ++offset) {
      for (const std::string_view special : {"\"", "\\", "\n", "\x01", "\xC3\xA9", "\x7F"}) {
        std::string text(size, 'a');
        text.replace(offset, 1, special);
        std::string raw = "[";
        append_quoted(raw, text);
        Cursor at(raw);
        std::string_view slice;
        ASSERT_TRUE(at.enter_array() && at.next_element() && at.value(slice)) << raw;
        EXPECT_EQ(unquote_leniently(slice), text);
        text[offset] = '\x1F';
        EXPECT_FALSE(check('"' + text + '"')) << text;
        text[offset] = '\xFF';
        EXPECT_FALSE(check('"' + text + '"')) << text;
      }
    }
  }
}

TEST(Text, IsAppendedUnquoted) {
  std::string out = "a";
  EXPECT_TRUE(append_unquoted(out, R"("b")"));
  EXPECT_TRUE(append_unquoted(out, R"("")"));
  EXPECT_TRUE(append_unquoted(out, R"("\nc\t")"));
  EXPECT_EQ(out, "ab\nc\t");
  EXPECT_FALSE(append_unquoted(out, R"("\ud800d")"));
  EXPECT_EQ(out,
            "ab\nc\t\xEF\xBF\xBD"
            "d");
}

TEST(Read, AKeyOutlivesTheKeysInsideItsValue) {
  const std::string outer = "the key of the outer object, too long for a short string";
  const std::string text =
      R"({"the key of the outer object, too long for a short strin\u0067":)"
      R"({"the key of the inner object, too long for a short strin\u0067":1}})";
  each_member(text, [&](std::string_view key, std::string_view) { EXPECT_EQ(key, outer); });
}

TEST(Read, CopiesOnlyTextWithEscapes) {
  std::string decoded;
  const std::string_view plain = R"("as it is")";
  EXPECT_EQ(as_text(plain, decoded), "as it is");
  EXPECT_EQ(as_text(plain, decoded)->data(), plain.data() + 1);
  EXPECT_EQ(as_text(R"("")", decoded), "");
  EXPECT_EQ(as_text(R"("a\tb")", decoded), "a\tb");
  EXPECT_EQ(as_text(R"("c\u0064")", decoded), "cd");
  EXPECT_EQ(decoded, "cd");
  EXPECT_EQ(as_text(R"("\ud800")", decoded), std::nullopt);
  EXPECT_EQ(as_text("12", decoded), std::nullopt);
}

TEST(Read, AnswersSmallQuestions) {
  const std::string_view raw = R"({"a":"x","b":12,"c":1.5,"d":true,"e":[1,2]})";
  EXPECT_EQ(string_member(raw, "a"), "x");
  EXPECT_EQ(as_int(*member(raw, "b")), 12);
  EXPECT_EQ(as_double(*member(raw, "c")), 1.5);
  EXPECT_EQ(as_bool(*member(raw, "d")), true);
  EXPECT_EQ(member(raw, "z"), std::nullopt);
  EXPECT_EQ(as_int("1.5"), std::nullopt);
  int sum = 0;
  each_element(*member(raw, "e"), [&](std::string_view n) { sum += static_cast<int>(*as_int(n)); });
  EXPECT_EQ(sum, 3);
}

// The public JSONTestSuite: y_ must parse, n_ must not, i_ is ours to choose.
TEST(Cursor, AgreesWithThePublicParsingSuite) {
  const char* const given = std::getenv("PATCHBAY_JSON_SUITE");
  const std::filesystem::path folder = given ? given : "../shared/suites/json-parsing/test_parsing";
  if (!std::filesystem::is_directory(folder)) {
    std::cout << "left out: the public JSON parsing suite is not at " << folder << "\n";
    return;
  }
  int seen = 0;
  for (const auto& entry : std::filesystem::directory_iterator(folder)) {
    std::ifstream file(entry.path(), std::ios::binary);
    std::stringstream text;
    text << file.rdbuf();
    const std::string name = entry.path().filename();
    const bool accepted = static_cast<bool>(check(text.str()));
    if (name[0] == 'y') EXPECT_TRUE(accepted) << name;
    if (name[0] == 'n') EXPECT_FALSE(accepted) << name;
    ++seen;
  }
  EXPECT_GT(seen, 300);
}

}  // namespace
}  // namespace patchbay::json
