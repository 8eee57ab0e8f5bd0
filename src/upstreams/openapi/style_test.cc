#include "upstreams/openapi/style.h"

#include <gtest/gtest.h>

namespace patchbay::upstreams {
namespace {

using enum ParameterStyle;
using Location = ParameterLocation;

constexpr std::string_view kBlue = R"("blue")";
constexpr std::string_view kColors = R"(["blue","black","brown"])";
constexpr std::string_view kRgb = R"({"R":100,"G":200,"B":150})";

std::string written(Location location, ParameterStyle style, bool explode, std::string_view value,
                    const std::vector<std::string>& taken = {}) {
  OpenapiParameter parameter{"color", "color", location, {style, explode, false, false}};
  auto text = write_parameter(parameter, value, taken);
  return text ? *text : "refused: " + text.error().message;
}

bool is_refused(Location location, ParameterStyle style, bool explode, std::string_view value) {
  return written(location, style, explode, value).starts_with("refused: the argument 'color' ");
}

// The table of styles in the specification.
TEST(OpenapiStyle, WritesPathsInEveryStyle) {
  EXPECT_EQ(written(Location::path, simple, false, kBlue), "blue");
  EXPECT_EQ(written(Location::path, simple, false, kColors), "blue,black,brown");
  EXPECT_EQ(written(Location::path, simple, false, kRgb), "R,100,G,200,B,150");
  EXPECT_EQ(written(Location::path, simple, true, kRgb), "R=100,G=200,B=150");
  EXPECT_EQ(written(Location::path, label, false, kBlue), ".blue");
  EXPECT_EQ(written(Location::path, label, false, kColors), ".blue,black,brown");
  EXPECT_EQ(written(Location::path, label, true, kColors), ".blue.black.brown");
  EXPECT_EQ(written(Location::path, label, false, kRgb), ".R,100,G,200,B,150");
  EXPECT_EQ(written(Location::path, label, true, kRgb), ".R=100.G=200.B=150");
  EXPECT_EQ(written(Location::path, matrix, false, kBlue), ";color=blue");
  EXPECT_EQ(written(Location::path, matrix, false, R"("")"), ";color");
  EXPECT_EQ(written(Location::path, matrix, false, kColors), ";color=blue,black,brown");
  EXPECT_EQ(written(Location::path, matrix, true, kColors), ";color=blue;color=black;color=brown");
  EXPECT_EQ(written(Location::path, matrix, false, kRgb), ";color=R,100,G,200,B,150");
  EXPECT_EQ(written(Location::path, matrix, true, kRgb), ";R=100;G=200;B=150");
}

TEST(OpenapiStyle, WritesQueriesInEveryStyle) {
  EXPECT_EQ(written(Location::query, form, true, kBlue), "color=blue");
  EXPECT_EQ(written(Location::query, form, true, R"("")"), "color=");
  EXPECT_EQ(written(Location::query, form, false, kColors), "color=blue,black,brown");
  EXPECT_EQ(written(Location::query, form, true, kColors), "color=blue&color=black&color=brown");
  EXPECT_EQ(written(Location::query, form, false, kRgb), "color=R,100,G,200,B,150");
  EXPECT_EQ(written(Location::query, form, true, kRgb), "R=100&G=200&B=150");
  EXPECT_EQ(written(Location::query, space_delimited, false, kColors),
            "color=blue%20black%20brown");
  EXPECT_EQ(written(Location::query, pipe_delimited, false, kColors), "color=blue%7Cblack%7Cbrown");
  EXPECT_EQ(written(Location::query, pipe_delimited, true, kColors),
            "color=blue&color=black&color=brown");
  EXPECT_EQ(written(Location::query, deep_object, true, kRgb),
            "color%5BR%5D=100&color%5BG%5D=200&color%5BB%5D=150");
  EXPECT_EQ(written(Location::query, deep_object, true, R"({"a":{"b":1},"c":["d","e"]})"),
            "color%5Ba%5D%5Bb%5D=1&color%5Bc%5D=d&color%5Bc%5D=e");
}

TEST(OpenapiStyle, WritesHeadersAndCookies) {
  EXPECT_EQ(written(Location::header, simple, false, kColors), "blue,black,brown");
  EXPECT_EQ(written(Location::header, simple, false, kRgb), "R,100,G,200,B,150");
  EXPECT_EQ(written(Location::header, simple, true, kRgb), "R=100,G=200,B=150");
  EXPECT_EQ(written(Location::header, simple, false, R"("a, b")"), "a, b");
  EXPECT_EQ(written(Location::cookie, form, true, kBlue), "color=blue");
  EXPECT_EQ(written(Location::cookie, form, true, kColors), "color=blue; color=black; color=brown");
  EXPECT_EQ(written(Location::cookie, form, false, kColors), "color=blue,black,brown");
}

TEST(OpenapiStyle, WritesPlainValuesAsTheyAre) {
  EXPECT_EQ(written(Location::query, form, true, "1.50"), "color=1.50");
  EXPECT_EQ(written(Location::query, form, true, "true"), "color=true");
  EXPECT_EQ(written(Location::query, form, true, "null"), "");
  EXPECT_EQ(written(Location::query, form, true, "[]"), "");
  EXPECT_EQ(written(Location::path, simple, false, R"(["","a"])"), ",a");
}

TEST(OpenapiStyle, KeepsValuesInTheirLocation) {
  EXPECT_EQ(written(Location::query, form, true, R"("a&b=c#d?e/f+g%\r\n")"),
            "color=a%26b%3Dc%23d%3Fe%2Ff%2Bg%25%0D%0A");
  EXPECT_EQ(written(Location::query, form, false, R"(["a,b","c"])"), "color=a%2Cb,c");
  EXPECT_EQ(written(Location::query, deep_object, true, R"({"a]=1&x[":"y"})"),
            "color%5Ba%5D%3D1%26x%5B%5D=y");
  EXPECT_EQ(written(Location::cookie, form, true, R"("a; admin=1")"), "color=a%3B%20admin%3D1");
  EXPECT_EQ(written(Location::path, simple, false, R"("a/b?c#d;e")"), "a%2Fb%3Fc%23d%3Be");
  EXPECT_EQ(written(Location::path, simple, false, R"("ä b")"), "%C3%A4%20b");
}

TEST(OpenapiStyle, RefusesStepsOfAPath) {
  for (const auto* const value : {R"(".")", R"("..")", R"("../x")", R"("x/../y")", R"("x\\..\\y")",
                                  R"("%2e%2e")", R"("%252e%252e%252fx")", R"("..;x")", R"("a\nb")",
                                  R"("a\u0000")", R"(["a",".."])", R"({"..":"a"})"}) {
    EXPECT_TRUE(is_refused(Location::path, simple, false, value)) << value;
  }
  EXPECT_EQ(written(Location::path, simple, false, R"("...")"), "...");
  EXPECT_EQ(written(Location::path, simple, false, R"("v1..v2")"), "v1..v2");
}

TEST(OpenapiStyle, RefusesWhatAHeaderCannotHold) {
  for (const auto* const value : {R"("a\r\nX: y")", R"("a\nb")", R"("a\u0000b")", R"(["a,b"])",
                                  R"({"a=b":"c"})", R"(["a\r\nb"])", R"({"a\r\n":"b"})"}) {
    EXPECT_TRUE(is_refused(Location::header, simple, false, value)) << value;
  }
}

TEST(OpenapiStyle, RefusesWhatHasNoForm) {
  EXPECT_TRUE(is_refused(Location::query, form, true, R"([["a"]])"));
  EXPECT_TRUE(is_refused(Location::query, form, true, R"({"a":{"b":1}})"));
  EXPECT_TRUE(is_refused(Location::query, deep_object, true, R"({"a":[["b"]]})"));
}

TEST(OpenapiStyle, KeepsKeysFromBeingOtherParameters) {
  EXPECT_NE(written(Location::query, form, true, R"({"api_key":"x"})", {"api_key"}).find("refused"),
            std::string::npos);
  EXPECT_EQ(written(Location::query, form, false, R"({"api_key":"x"})", {"api_key"}),
            "color=api_key,x");
}

TEST(OpenapiStyle, WritesJsonWhereTheDocumentDeclaresIt) {
  OpenapiParameter parameter{"f", "f", Location::query, {form, true, false, true}};
  auto text = write_parameter(parameter, "{\"a\":\n[1]}", {});
  ASSERT_TRUE(text);
  EXPECT_EQ(*text, "f=%7B%22a%22%3A%20%5B1%5D%7D");
}

TEST(OpenapiStyle, LeavesReservedCharactersThatEndNothing) {
  OpenapiParameter parameter{"f", "f", Location::query, {form, true, true, false}};
  auto text = write_parameter(parameter, R"("a/b:c&d=e#f+g;h")", {});
  ASSERT_TRUE(text);
  EXPECT_EQ(*text, "f=a/b:c%26d%3De%23f%2Bg%3Bh");
}

}  // namespace
}  // namespace patchbay::upstreams
