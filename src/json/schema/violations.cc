// The part of SchemaValidation that writes messages.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <string_view>

#include "json/decimal.h"
#include "json/schema/validation.h"
#include "json/text.h"

namespace patchbay::json {
namespace {

constexpr std::size_t kLongText = 80;   // Bytes of a value, a name or a pattern in a message.
constexpr std::size_t kLongList = 200;  // Of the allowed values.

std::string clipped(std::string_view text) { return shortened(text, kLongText); }

// Keywords that compare a number with another.
struct Comparison {
  Keyword keyword;
  std::string_view relation;
};
constexpr std::array kComparisons{
    Comparison{Keyword::minimum, "at least"},
    Comparison{Keyword::maximum, "at most"},
    Comparison{Keyword::exclusive_minimum, "more than"},
    Comparison{Keyword::exclusive_maximum, "less than"},
    Comparison{Keyword::multiple_of, "a multiple of"},
};

// Keywords that bound how many parts a value has.
struct SizeBound {
  Keyword keyword;
  std::string_view bound;
  std::string_view one;
  std::string_view many;
};
constexpr std::array kSizeBounds{
    SizeBound{Keyword::min_length, "at least", "character", "characters"},
    SizeBound{Keyword::max_length, "at most", "character", "characters"},
    SizeBound{Keyword::min_items, "at least", "element", "elements"},
    SizeBound{Keyword::max_items, "at most", "element", "elements"},
    SizeBound{Keyword::min_properties, "at least", "property", "properties"},
    SizeBound{Keyword::max_properties, "at most", "property", "properties"},
};

// The row of a keyword; null if it has none.
template <class Table>
const auto* find_row(const Table& table, Keyword keyword) {
  const auto found = std::ranges::find(table, keyword, [](const auto& row) { return row.keyword; });
  return found == table.end() ? nullptr : &*found;
}

std::string_view with_article(Type type) {
  switch (type) {
    case Type::object:
      return "an object";
    case Type::array:
      return "an array";
    case Type::string:
      return "a string";
    case Type::number:
      return "a number";
    case Type::boolean:
      return "true or false";
    default:
      return "null";
  }
}

std::string type_names(std::uint32_t types) {
  std::string out;
  const auto add = [&out](std::string_view name) {
    if (!out.empty()) out += " or ";
    out += name;
  };
  for (const Type type :
       {Type::object, Type::array, Type::string, Type::number, Type::boolean, Type::null}) {
    if (types & bit(type)) add(with_article(type));
  }
  if ((types & kIntegerBit) && !(types & bit(Type::number))) add("a whole number");
  return out;
}

std::string several(std::uint32_t count, std::string_view one, std::string_view many) {
  return fmt::format("{} {}", count, count == 1 ? one : many);
}

std::string bounded(std::string_view bound, std::uint32_t wanted, std::uint32_t found,
                    std::string_view one, std::string_view many) {
  return fmt::format("must have {} {}, has {}", bound, several(wanted, one, many), found);
}

}  // namespace

Violation SchemaValidation::put_in_words(const Report& report) const {
  Violation out{value_.pointer(report.fault.node), std::string(info(report.fault.keyword).name),
                reason(report.fault)};
  if (report.nearest.step) {
    const std::string pointer = value_.pointer(report.nearest.node);
    out.reason += fmt::format("; nearest: {}{}{}", clipped(pointer), pointer.empty() ? "" : ": ",
                              reason(report.nearest));
  }
  return out;
}

std::string SchemaValidation::reason(const Fault& fault) const {
  const SchemaStep& step = *fault.step;
  const auto name = [this](std::uint32_t id) { return quote(clipped(program_.names[id])); };
  const std::string_view raw = value_.raw(fault.node);
  if (const auto* const row = find_row(kComparisons, fault.keyword)) {
    return fmt::format("must be {} {}, is {}", row->relation, clipped(program_.numbers[step.a].raw),
                       clipped(raw));
  }
  if (const auto* const row = find_row(kSizeBounds, fault.keyword)) {
    return bounded(row->bound, step.a, fault.detail, row->one, row->many);
  }
  switch (fault.keyword) {
    case Keyword::type:
      return fmt::format("must be {}, is {}", type_names(step.a),
                         value_[fault.node].type == Type::number
                             ? clipped(raw)
                             : std::string(with_article(value_[fault.node].type)));
    case Keyword::constant:
      return "must be " + clipped(program_.constants[step.a].text);
    case Keyword::enumeration:
      return "must be one of " + shortened(program_.constants[step.a].text, kLongList);
    case Keyword::pattern:
      return "must match the pattern " + clipped(program_.names[step.b]);
    case Keyword::format:
      return fmt::format("must have the format {}", clipped(program_.names[step.b]));
    case Keyword::contains:
      return bounded(fault.detail < step.b ? "at least" : "at most",
                     fault.detail < step.b ? step.b : step.c, fault.detail, "element of a kind",
                     "elements of a kind");
    case Keyword::unique_items:
      return "must not be equal to " + clipped(value_.pointer(fault.detail));
    case Keyword::required:
      return fmt::format("the property {} is missing", name(fault.detail));
    case Keyword::dependent_required:
      return fmt::format("the property {} is missing, which {} needs", name(fault.detail),
                         name(step.a));
    case Keyword::additional_properties:
    case Keyword::unevaluated_properties:
      return "is a property that is not allowed here";
    case Keyword::property_names:
      return "has a name that is not allowed here";
    case Keyword::unevaluated_items:
      return "is an element that is not allowed here";
    case Keyword::any_of:
      return fmt::format("matches none of {} alternatives", step.b);
    case Keyword::one_of:
      return fault.detail == 0 ? fmt::format("matches none of {} alternatives", step.b)
                               : "matches more than one of the alternatives";
    case Keyword::negation:
      return "matches what it must not match";
    default:
      return "is not allowed here";
  }
}

}  // namespace patchbay::json
