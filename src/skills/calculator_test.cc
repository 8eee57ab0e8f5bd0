#include "skills/calculator.h"

#include <gtest/gtest.h>

#include "json/read.h"

namespace patchbay {
namespace {

std::string answer(std::string_view expression) {
  const auto value = evaluate(expression);
  return value ? show_number(*value) : value.error().message;
}

TEST(Calculator, KnowsPrecedence) {
  EXPECT_EQ(answer("2 + 3 * 4"), "14");
  EXPECT_EQ(answer("(2 + 3) * 4"), "20");
  EXPECT_EQ(answer("10 - 4 - 3"), "3");
  EXPECT_EQ(answer("100 / 10 / 2"), "5");
  EXPECT_EQ(answer("2 * 3 % 4"), "2");
  EXPECT_EQ(answer("2 ^ 3 ^ 2"), "512");
  EXPECT_EQ(answer("2 ** 10"), "1024");
  EXPECT_EQ(answer("2 * 3 ^ 2"), "18");
  EXPECT_EQ(answer("2^3!"), "64");
}

TEST(Calculator, SignsBindLooserThanPowers) {
  EXPECT_EQ(answer("-2^2"), "-4");
  EXPECT_EQ(answer("(-2)^2"), "4");
  EXPECT_EQ(answer("2^-1"), "0.5");
  EXPECT_EQ(answer("2^-2^2"), "0.0625");
  EXPECT_EQ(answer("--+-3"), "-3");
  EXPECT_EQ(answer("2 * -3"), "-6");
  EXPECT_EQ(answer("1 - -1"), "2");
  EXPECT_EQ(answer("-3!"), "-6");
  EXPECT_EQ(answer(std::string(4000, '-') + "7"), "7");
}

TEST(Calculator, ReadsNumbers) {
  EXPECT_EQ(answer("1.5e3"), "1500");
  EXPECT_EQ(answer("2E-2"), "0.02");
  EXPECT_EQ(answer(".5 + 5."), "5.5");
  EXPECT_EQ(answer("999999999999999 + 1"), "1000000000000000");
  EXPECT_EQ(answer("9007199254740991 - 1"), "9007199254740990");
  EXPECT_EQ(answer("007"), "7");
  EXPECT_EQ(answer("\t1 +\r\n 1 "), "2");
  EXPECT_EQ(answer("1e999"), "the number '1e999' at position 1 is too large or too small");
}

TEST(Calculator, KnowsConstantsAndFunctionsInAnyCase) {
  EXPECT_EQ(answer("pi"), "3.141592653589793");
  EXPECT_EQ(answer("TAU - 2*Pi"), "0");
  EXPECT_EQ(answer("ln(e)"), "1");
  EXPECT_EQ(answer("SQRT(16) + Cbrt(27) + abs(-1)"), "8");
  EXPECT_EQ(answer("floor(-1.5) + ceil(1.2) + round(2.5) + trunc(-1.9)"), "2");
  EXPECT_EQ(answer("sign(-9) + sign(0) + sign(4)"), "0");
  EXPECT_EQ(answer("log(1000)"), "3");
  EXPECT_EQ(answer("log(125, 5)"), "3");
  EXPECT_EQ(answer("log(0.25, 2) + log2(8) + log10(10)"), "2");
  EXPECT_EQ(answer("exp(0) + sin(0) + cos(0) + tan(0)"), "2");
  EXPECT_EQ(answer("asin(1) - acos(0)"), "0");
  EXPECT_EQ(answer("4 * atan(1) - pi"), "0");
  EXPECT_EQ(answer("atan2(0, -1)"), "3.141592653589793");
  EXPECT_EQ(answer("sinh(0) + cosh(0) + tanh(0)"), "1");
  EXPECT_EQ(answer("min(3, 1, 2) + max(4) + max(1, 9, 5)"), "14");
  EXPECT_EQ(answer("pow(2, 8) + hypot(3, 4) + factorial(5)"), "381");
  EXPECT_EQ(answer("20! / 18!"), "380");
}

TEST(Calculator, TheRestHasTheSignOfTheDivisor) {
  EXPECT_EQ(answer("7 % 3"), "1");
  EXPECT_EQ(answer("-7 % 3"), "2");
  EXPECT_EQ(answer("7 % -3"), "-2");
  EXPECT_EQ(answer("mod(-6, 3)"), "0");
  EXPECT_EQ(answer("5.5 % 2"), "1.5");
}

TEST(Calculator, AcceptsUnicodeOperators) {
  EXPECT_EQ(answer("6 × 4 ÷ 3 − 1"), "7");
  EXPECT_EQ(answer("6 × )"), "unexpected ')' at position 5; expected a number, a name or '('");
}

TEST(Calculator, ReportsWhatIsWrongAndWhere) {
  EXPECT_EQ(answer("(1+)"), "unexpected ')' at position 4; expected a number, a name or '('");
  EXPECT_EQ(answer("1 + 2)"), "unexpected ')' at position 6; expected an operator or the end");
  EXPECT_EQ(answer("1 +"),
            "unexpected end of the expression at position 4; expected a number, a name or '('");
  EXPECT_EQ(answer("(1 + 2"),
            "unexpected end of the expression at position 7; expected an operator or ')'");
  EXPECT_EQ(answer("max(1, 2"),
            "unexpected end of the expression at position 9; expected an operator or ',' or ')'");
  EXPECT_EQ(answer("1 $ 2"), "unexpected '$' at position 3; expected an operator or the end");
  EXPECT_EQ(answer("1 + €"), "unexpected '€' at position 5; expected a number, a name or '('");
  EXPECT_EQ(answer("* 2"), "unexpected '*' at position 1; expected a number, a name or '('");
  EXPECT_EQ(answer("1_000"), "unexpected '_' at position 2; expected an operator or the end");
  EXPECT_EQ(answer("1,000"),
            "unexpected ',' at position 2; expected an operator; a comma stands only between the "
            "arguments of a function");
  EXPECT_EQ(answer(""), "the expression is empty");
  EXPECT_EQ(answer(" \n"), "the expression is empty");
}

TEST(Calculator, DoesNotImplyMultiplication) {
  EXPECT_EQ(answer("2pi"),
            "expected an operator before 'pi' at position 2; multiplication is not implied, write "
            "it as *");
  EXPECT_TRUE(answer("2(3)").starts_with("expected an operator before '(' at position 2"));
  EXPECT_TRUE(answer("(1)(2)").starts_with("expected an operator before '(' at position 4"));
  EXPECT_TRUE(answer("(1 2)").starts_with("expected an operator before '2' at position 4"));
  EXPECT_TRUE(answer("pi(2)").starts_with("expected an operator before '(' at position 3"));
  EXPECT_TRUE(answer("1.2.3").starts_with("expected an operator before '.3' at position 4"));
}

TEST(Calculator, NamesWhatItDoesNotKnow) {
  EXPECT_TRUE(answer("1+foo(2)")
                  .starts_with("unknown function 'foo' at position 3; known: sqrt, cbrt, abs, "));
  EXPECT_EQ(answer("x + 1"), "unknown name 'x' at position 1; known constants: pi, e, tau");
  EXPECT_EQ(answer("1 + sqrt 4"), "'sqrt' at position 5 is a function; write sqrt(…)");
  EXPECT_EQ(answer("sqrt(1, 2)"), "'sqrt' at position 1 takes 1 argument, not 2");
  EXPECT_EQ(answer("pow(1)"), "'pow' at position 1 takes 2 arguments, not 1");
  EXPECT_EQ(answer("log(1, 2, 3)"), "'log' at position 1 takes 1 or 2 arguments, not 3");
  EXPECT_EQ(answer("max()"), "'max' at position 1 takes at least 1 argument, not 0");
}

TEST(Calculator, RefusesWhatIsNoNumber) {
  EXPECT_EQ(answer("1/0"), "division by zero ('/' at position 2)");
  EXPECT_EQ(answer("0 % 0"), "division by zero ('%' at position 3)");
  EXPECT_EQ(answer("0^-1"), "division by zero ('^' at position 2)");
  EXPECT_EQ(answer("10^400"), "the result is too large ('^' at position 3)");
  EXPECT_EQ(answer("1/exp(1000)"), "the result is too large ('exp' at position 3)");
  EXPECT_EQ(answer("1e308 * 10"), "the result is too large ('*' at position 7)");
  EXPECT_EQ(answer("171!"), "the result is too large ('!' at position 4)");
  EXPECT_EQ(answer("sqrt(-1)"), "not a real number ('sqrt' at position 1)");
  EXPECT_EQ(answer("ln(0)"), "not a real number ('ln' at position 1)");
  EXPECT_EQ(answer("log(8, 1)"), "not a real number ('log' at position 1)");
  EXPECT_EQ(answer("(-8)^(1/3)"), "not a real number ('^' at position 5)");
  EXPECT_EQ(answer("2.5!"),
            "a factorial needs a whole number that is not negative ('!' at position 4)");
}

TEST(Calculator, IsBounded) {
  const auto nested = [](std::size_t depth) {
    return std::string(depth, '(') + "1" + std::string(depth, ')');
  };
  EXPECT_EQ(answer(nested(kMaxExpressionNesting)), "1");
  EXPECT_EQ(answer(nested(kMaxExpressionNesting + 1)),
            "the expression is nested more than 100 deep at position 101");
  EXPECT_EQ(answer(std::string(kMaxExpressionBytes, '(')),
            "the expression is nested more than 100 deep at position 101");
  std::string tower = "1";
  while (tower.size() + 2 < kMaxExpressionBytes) tower += "^1";
  EXPECT_EQ(answer(tower), "the expression is nested more than 100 deep at position 202");
  EXPECT_EQ(answer("2" + std::string(kMaxExpressionBytes, ' ')),
            "the expression is longer than 4096 bytes");
  std::string sum = "1";
  while (sum.size() + 2 <= kMaxExpressionBytes) sum += "+1";
  EXPECT_EQ(answer(sum), "2048");
}

TEST(Calculator, ShowsNumbersPlainly) {
  EXPECT_EQ(show_number(14), "14");
  EXPECT_EQ(show_number(-0.0), "0");
  EXPECT_EQ(show_number(0.1 + 0.2), "0.30000000000000004");
  EXPECT_EQ(show_number(9007199254740991), "9007199254740991");
  EXPECT_EQ(show_number(1e15), "1000000000000000");
  EXPECT_EQ(show_number(1e21), "1e+21");
  EXPECT_EQ(show_number(-1.0 / 3), "-0.3333333333333333");
}

TEST(CalculatorSkill, ReadsItsArguments) {
  const auto answer = [](std::string_view arguments) {
    const auto text = kCalculatorSkill.run(arguments);
    if (text) return *text;
    EXPECT_EQ(text.error().code, Code::invalid_params);
    return text.error().message;
  };
  EXPECT_EQ(answer(R"({"expression":"(3 + 4) \u00d7 2"})"), "14");
  EXPECT_EQ(answer("{}"), "'expression' is missing; give it as a string");
  EXPECT_EQ(answer(R"({"expression":null})"), "'expression' is missing; give it as a string");
  EXPECT_EQ(answer(R"({"expression":7})"), "'expression' must be a string of Unicode text");
  EXPECT_EQ(answer(R"({"expr":"7"})"), "unknown argument 'expr'; known: expression");
  EXPECT_EQ(answer(R"({"expression":")" + std::string(5000, '1') + R"("})"),
            "'expression' is 5000 bytes long; at most 4096 are accepted");
  EXPECT_TRUE(json::check(kCalculatorSkill.input_schema));
}

}  // namespace
}  // namespace patchbay
