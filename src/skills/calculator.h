// The skill `calculate`: evaluates an arithmetic expression. Stateless; runs on any worker.
//
//   expression  term { (+ | -) term }
//   term        signed { (* | / | %) signed }
//   signed      { + | - } power
//   power       postfix [ (^ | **) signed ]        so -2^2 is -4, 2^-1 is 0.5, 2^3^2 is 512
//   postfix     primary { ! }
//   primary     number | constant | function ( expression { , expression } ) | ( expression )
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "core/result.h"
#include "skills/skill.h"

namespace patchbay {

inline constexpr std::size_t kMaxExpressionBytes = 4096;
inline constexpr int kMaxExpressionNesting = 100;  // Parentheses, calls and towers of powers.

// The value of `expression`, or an Error with the fault and its position; positions count
// characters from 1.
Result<double> evaluate(std::string_view expression);

// "14" for a whole number below 2^53, else the shortest text that reads back as the same number.
std::string show_number(double value);

extern const Skill kCalculatorSkill;

}  // namespace patchbay
