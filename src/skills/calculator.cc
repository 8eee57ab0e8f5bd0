#include "skills/calculator.h"

#include <fmt/format.h>

#include <array>
#include <charconv>
#include <cmath>
#include <cstdint>
#include <optional>
#include <vector>

#include "core/text.h"
#include "gateway/call/arguments.h"
#include "skills/arithmetic.h"
#include "skills/expression_tokens.h"
#include "skills/goal_keywords.h"
#include "skills/math_functions.h"

namespace patchbay {
namespace {

constexpr double kFirstInexactInteger = 9007199254740992;  // 2^53.
constexpr std::string_view kOperandExpected = "a number, a name or '('";

// Parses and computes in one pass. After the first fault the current token is the end of the
// expression, so every loop stops and run() checks for the fault once.
class Parser {
 public:
  explicit Parser(std::string_view expression) : tokens_(expression) {}

  Result<double> run() {
    advance();
    if (is_end() && !fault_) return Error{Code::invalid_params, "the expression is empty"};
    const double value = expression();
    if (!fault_ && !is_end()) operator_expected();
    if (fault_) return *std::move(fault_);
    return value;
  }

 private:
  using Token = math::Token;
  using Kind = Token::Kind;

  double expression() {
    double value = term();
    while (sees('+') || sees('-')) {
      const Token op = take();
      const double right = term();
      value = checked(op, math::finite(op.symbol == '+' ? value + right : value - right));
    }
    return value;
  }

  double term() {
    double value = with_sign();
    while (sees('*') || sees('/') || sees('%')) {
      const Token op = take();
      const double right = with_sign();
      value = checked(op, op.symbol == '*'   ? math::finite(value * right)
                          : op.symbol == '/' ? math::divide(value, right)
                                             : math::modulo(value, right));
    }
    return value;
  }

  double with_sign() {
    bool negative = false;
    while (sees('+') || sees('-')) negative ^= take().symbol == '-';
    const double value = power();
    return negative ? -value : value;
  }

  double power() {
    const double base = postfix();
    if (!sees('^')) return base;
    const Token op = take();
    if (!go_deeper(op)) return 0;
    const double exponent = with_sign();
    --depth_;
    return checked(op, math::power(base, exponent));
  }

  double postfix() {
    double value = primary();
    while (sees('!')) {
      const Token op = take();
      value = checked(op, math::factorial(value));
    }
    return value;
  }

  double primary() {
    if (token_.kind == Kind::number) return take().number;
    if (token_.kind == Kind::name) return named();
    if (sees('(')) {
      if (!go_deeper(token_)) return 0;
      advance();
      const double value = expression();
      close("')'");
      return value;
    }
    return unexpected(kOperandExpected);
  }

  double named() {
    const Token name = take();
    const std::string key = ascii_lower(name.text);
    const auto* function = math::find_function(key);
    if (function && sees('(')) return call(name, *function);
    if (function) {
      return fail(fmt::format("'{0}' at position {1} is a function; write {0}(…)", name.text,
                              position(name)));
    }
    if (const auto constant = math::find_constant(key)) return *constant;
    if (sees('(')) {
      return fail(fmt::format("unknown function '{}' at position {}; known: {}", clip(name.text),
                              position(name), math::function_names()));
    }
    return fail(fmt::format("unknown name '{}' at position {}; known constants: {}",
                            clip(name.text), position(name), math::constant_names()));
  }

  double call(const Token& name, const math::Function& function) {
    if (!go_deeper(token_)) return 0;
    advance();
    std::vector<double> arguments;
    if (!sees(')')) {
      arguments.push_back(expression());
      while (sees(',')) {
        advance();
        arguments.push_back(expression());
      }
    }
    close("',' or ')'");
    if (fault_) return 0;
    if (arguments.size() < function.fewest || arguments.size() > function.most) {
      return wrong_count(name, function, arguments.size());
    }
    auto value = function.apply(arguments);
    return checked(name, value ? math::finite(*value) : std::move(value));
  }

  double wrong_count(const Token& name, const math::Function& function, std::size_t given) {
    const auto arguments = function.most == function.fewest ? fmt::format("{}", function.fewest)
                           : function.most == function.fewest + 1
                               ? fmt::format("{} or {}", function.fewest, function.most)
                               : fmt::format("at least {}", function.fewest);
    return fail(fmt::format("'{}' at position {} takes {} argument{}, not {}", name.text,
                            position(name), arguments, arguments.ends_with('1') ? "" : "s", given));
  }

  // Undoes one go_deeper().
  void close(std::string_view expected) {
    --depth_;
    if (sees(')')) {
      advance();
    } else if (begins_operand()) {
      operator_expected();
    } else {
      unexpected(fmt::format("an operator or {}", expected));
    }
  }

  bool go_deeper(const Token& at) {
    if (++depth_ <= kMaxExpressionNesting) return true;
    fail(fmt::format("the expression is nested more than {} deep at position {}",
                     kMaxExpressionNesting, position(at)));
    return false;
  }

  // A whole operand has been parsed, and the next token cannot continue it.
  void operator_expected() {
    if (begins_operand()) {
      fail(
          fmt::format("expected an operator before '{}' at position {}; "
                      "multiplication is not implied, write it as *",
                      clip(token_.text), position(token_)));
    } else if (sees(',')) {
      unexpected("an operator; a comma stands only between the arguments of a function");
    } else {
      unexpected("an operator or the end");
    }
  }

  bool begins_operand() const {
    return token_.kind == Kind::number || token_.kind == Kind::name || sees('(');
  }

  double unexpected(std::string_view expected) {
    if (fault_) return 0;  // The token is no longer one of the expression.
    if (is_end()) {
      return fail(fmt::format("unexpected end of the expression at position {}; expected {}",
                              position(token_), expected));
    }
    return fail(fmt::format("unexpected '{}' at position {}; expected {}", token_.text,
                            position(token_), expected));
  }

  // Only the first fault counts: the ones after it are its consequences.
  double fail(std::string message) {
    if (!fault_) fault_ = Error{Code::invalid_params, std::move(message)};
    token_ = Token{};
    return 0;
  }

  double checked(const Token& op, Result<double> value) {
    if (value) return *value;
    return fail(
        fmt::format("{} ('{}' at position {})", value.error().message, op.text, position(op)));
  }

  bool sees(char symbol) const { return token_.kind == Kind::symbol && token_.symbol == symbol; }
  bool is_end() const { return token_.kind == Kind::end; }

  Token take() {
    const Token taken = token_;
    advance();
    return taken;
  }

  void advance() {
    if (fault_) return;
    token_ = tokens_.next();
    if (token_.kind == Kind::out_of_range) {
      fail(fmt::format("the number '{}' at position {} is too large or too small",
                       clip(token_.text), position(token_)));
    }
  }

  std::size_t position(const Token& token) const { return tokens_.position(token); }

  math::TokenReader tokens_;
  Token token_;
  int depth_ = 0;
  std::optional<Error> fault_;
};

Result<std::string> run(std::string_view arguments) {
  auto expression = sole_text_argument(arguments, "expression", kMaxExpressionBytes);
  if (!expression) return std::move(expression).error();
  const auto value = evaluate(*expression);
  if (!value) return value.error();
  return show_number(*value);
}

constexpr auto kKeywords = std::to_array<std::string_view>({"calculate", "compute"});

bool can_handle(std::string_view goal) {
  return mentions(goal, kKeywords) || !find_arithmetic(goal).empty();
}

// The expression of a goal: all of it where only arithmetic is possible, else the arithmetic in the
// sentence.
std::string_view expression_of(const GoalText& goal) {
  const auto subject = subject_of(goal, kKeywords);
  if (!goal.keyword.empty() || evaluate(subject)) return subject;
  return find_arithmetic(subject);
}

Task<std::string> execute(GoalText goal, GoalTools& tools) {
  const auto expression = expression_of(goal);
  if (expression.empty()) {
    co_return Error{Code::invalid_params,
                    fmt::format("No simple expression found in: {}", goal.whole)};
  }
  auto number = co_await tools.call(one_argument("expression", expression));
  // A goal is answered with a decimal number, whole or not.
  const bool whole = number && number->find_first_not_of("-0123456789") == std::string::npos;
  if (whole) *number += ".0";
  co_return number;
}

}  // namespace

Result<double> evaluate(std::string_view expression) {
  if (expression.size() > kMaxExpressionBytes) {
    return Error{Code::invalid_params,
                 fmt::format("the expression is longer than {} bytes", kMaxExpressionBytes)};
  }
  return Parser(expression).run();
}

std::string show_number(double value) {
  if (std::trunc(value) == value && std::abs(value) < kFirstInexactInteger) {
    return fmt::format_int(static_cast<std::int64_t>(value)).str();
  }
  std::array<char, 32> text;  // The shortest form of a double takes at most 24 characters.
  const auto end = std::to_chars(text.data(), text.data() + text.size(), value).ptr;
  return std::string(text.data(), end);
}

constinit const Skill kCalculatorSkill{
    .name = "calculate",
    .title = "Calculator",
    .description =
        "Evaluates an arithmetic expression and returns the number. Operators: + - * / % (the rest "
        "has the sign of the divisor), ^ or ** (powers, from right to left), ! (factorial), "
        "parentheses. Constants: pi, e, tau. Functions: sqrt cbrt abs floor ceil round trunc sign "
        "exp ln log(x) log(x, base) log10 log2 sin cos tan asin acos atan atan2 sinh cosh tanh "
        "min max pow mod hypot factorial; angles are in radians. Multiplication must be written: "
        "2*pi, not 2pi.",
    .input_schema = R"({"type":"object","properties":{"expression":{"type":"string",)"
                    R"("minLength":1,"maxLength":4096,)"
                    R"("description":"The expression, for example 2 * (3 + 4) ^ 2 or sqrt(2)."}},)"
                    R"("required":["expression"],"additionalProperties":false})",
    .run = run,
    .goal_name = "CalculatorSkill",
    .keywords = kKeywords,
    .can_handle = can_handle,
    .execute = execute,
};

}  // namespace patchbay
