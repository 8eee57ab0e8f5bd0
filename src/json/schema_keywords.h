// The keywords of JSON Schema, as one table: in which drafts each counts, to which vocabulary it
// belongs and where in its value further schemas stand. Constant; usable from any thread.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string_view>

#include "json/schema.h"

namespace patchbay::json {

// Bits of a set.
enum Vocabulary : std::uint8_t {
  kCore = 1,
  kApplicator = 2,
  kValidation = 4,
  kUnevaluated = 8,
  kFormatAnnotation = 16,
  kFormatAssertion = 32,
  kOtherVocabulary = 64,  // Titles and contents: known, but nothing to check.
};
inline constexpr std::uint8_t kAllVocabularies =
    kCore | kApplicator | kValidation | kUnevaluated | kFormatAnnotation;

// Where schemas stand in the value of a keyword.
enum class Holds : std::uint8_t { nothing, schema, list, map, schema_or_list };

enum class Keyword : std::uint8_t {
  schema,
  vocabulary,
  id,
  anchor,
  dynamic_anchor,
  ref,
  dynamic_ref,
  defs,
  definitions,
  type,
  constant,
  enumeration,
  minimum,
  maximum,
  exclusive_minimum,
  exclusive_maximum,
  multiple_of,
  min_length,
  max_length,
  pattern,
  format,
  prefix_items,
  items,
  additional_items,
  contains,
  min_contains,
  max_contains,
  min_items,
  max_items,
  unique_items,
  properties,
  pattern_properties,
  additional_properties,
  required,
  property_names,
  min_properties,
  max_properties,
  dependent_required,
  dependent_schemas,
  dependencies,
  all_of,
  any_of,
  one_of,
  negation,
  condition,
  then_branch,
  else_branch,
  unevaluated_items,
  unevaluated_properties,
  never,  // The schema `false`; written nowhere.
};

struct KeywordInfo {
  std::string_view name;
  std::uint8_t drafts;
  std::uint8_t vocabulary;
  Holds holds = Holds::nothing;
};

inline constexpr std::uint8_t kOld = static_cast<std::uint8_t>(Draft::draft_07);
inline constexpr std::uint8_t kNew = static_cast<std::uint8_t>(Draft::draft_2020_12);
inline constexpr std::uint8_t kBoth = kOld | kNew;

// Same order as the enum.
// clang-format off
inline constexpr std::array kKeywords{
    KeywordInfo{"$schema", kBoth, kCore},
    KeywordInfo{"$vocabulary", kNew, kCore},
    KeywordInfo{"$id", kBoth, kCore},
    KeywordInfo{"$anchor", kNew, kCore},
    KeywordInfo{"$dynamicAnchor", kNew, kCore},
    KeywordInfo{"$ref", kBoth, kCore},
    KeywordInfo{"$dynamicRef", kNew, kCore},
    KeywordInfo{"$defs", kBoth, kCore, Holds::map},
    KeywordInfo{"definitions", kBoth, kCore, Holds::map},
    KeywordInfo{"type", kBoth, kValidation},
    KeywordInfo{"const", kBoth, kValidation},
    KeywordInfo{"enum", kBoth, kValidation},
    KeywordInfo{"minimum", kBoth, kValidation},
    KeywordInfo{"maximum", kBoth, kValidation},
    KeywordInfo{"exclusiveMinimum", kBoth, kValidation},
    KeywordInfo{"exclusiveMaximum", kBoth, kValidation},
    KeywordInfo{"multipleOf", kBoth, kValidation},
    KeywordInfo{"minLength", kBoth, kValidation},
    KeywordInfo{"maxLength", kBoth, kValidation},
    KeywordInfo{"pattern", kBoth, kValidation},
    KeywordInfo{"format", kBoth, kFormatAnnotation | kFormatAssertion},
    KeywordInfo{"prefixItems", kNew, kApplicator, Holds::list},
    KeywordInfo{"items", kBoth, kApplicator, Holds::schema_or_list},
    KeywordInfo{"additionalItems", kOld, kApplicator, Holds::schema},
    KeywordInfo{"contains", kBoth, kApplicator, Holds::schema},
    KeywordInfo{"minContains", kNew, kValidation},
    KeywordInfo{"maxContains", kNew, kValidation},
    KeywordInfo{"minItems", kBoth, kValidation},
    KeywordInfo{"maxItems", kBoth, kValidation},
    KeywordInfo{"uniqueItems", kBoth, kValidation},
    KeywordInfo{"properties", kBoth, kApplicator, Holds::map},
    KeywordInfo{"patternProperties", kBoth, kApplicator, Holds::map},
    KeywordInfo{"additionalProperties", kBoth, kApplicator, Holds::schema},
    KeywordInfo{"required", kBoth, kValidation},
    KeywordInfo{"propertyNames", kBoth, kApplicator, Holds::schema},
    KeywordInfo{"minProperties", kBoth, kValidation},
    KeywordInfo{"maxProperties", kBoth, kValidation},
    KeywordInfo{"dependentRequired", kNew, kValidation},
    KeywordInfo{"dependentSchemas", kNew, kApplicator, Holds::map},
    KeywordInfo{"dependencies", kBoth, kApplicator, Holds::map},
    KeywordInfo{"allOf", kBoth, kApplicator, Holds::list},
    KeywordInfo{"anyOf", kBoth, kApplicator, Holds::list},
    KeywordInfo{"oneOf", kBoth, kApplicator, Holds::list},
    KeywordInfo{"not", kBoth, kApplicator, Holds::schema},
    KeywordInfo{"if", kBoth, kApplicator, Holds::schema},
    KeywordInfo{"then", kBoth, kApplicator, Holds::schema},
    KeywordInfo{"else", kBoth, kApplicator, Holds::schema},
    KeywordInfo{"unevaluatedItems", kNew, kUnevaluated, Holds::schema},
    KeywordInfo{"unevaluatedProperties", kNew, kUnevaluated, Holds::schema},
    KeywordInfo{"false", 0, 0},
};
// clang-format on
static_assert(kKeywords.size() == static_cast<std::size_t>(Keyword::never) + 1);

constexpr const KeywordInfo& info(Keyword keyword) {
  return kKeywords[static_cast<std::size_t>(keyword)];
}

// How a schema is to be read: what its `$schema` stands for.
struct Dialect {
  Draft draft = Draft::draft_2020_12;
  std::uint8_t vocabularies = kAllVocabularies;

  bool has(const KeywordInfo& keyword) const {
    return (keyword.drafts & static_cast<std::uint8_t>(draft)) != 0 &&
           (keyword.vocabulary & vocabularies) != 0;
  }
};

// The keyword of that name, if it is one in that dialect.
std::optional<Keyword> find_keyword(std::string_view name, const Dialect& dialect);

}  // namespace patchbay::json
