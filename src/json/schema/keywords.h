// The keywords of JSON Schema, as one table: their drafts, vocabulary, and where their value
// contains further schemas. Constant; usable from any thread.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string_view>

#include "json/schema/options.h"

namespace patchbay::json {

// Bits of a set.
enum Vocabulary : std::uint8_t {
  kCore = 1,
  kApplicator = 2,
  kValidation = 4,
  kUnevaluated = 8,
  kFormatAnnotation = 16,
  kFormatAssertion = 32,
  kOtherVocabulary = 64,  // Titles and contents: known, but without assertions.
};
inline constexpr std::uint8_t kAllVocabularies =
    kCore | kApplicator | kValidation | kUnevaluated | kFormatAnnotation;

// Where the value of a keyword contains schemas.
enum class Holds : std::uint8_t { nothing, schema, list, map, schema_or_list };

enum class Keyword : std::uint8_t {
  schema,
  vocabulary,
  id,
  anchor,
  dynamic_anchor,
  ref,
  dynamic_ref,
  old_id,
  recursive_anchor,
  recursive_ref,
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
  never,  // The schema `false`; not a written keyword.
};

struct KeywordInfo {
  std::string_view name;
  std::uint8_t drafts;
  std::uint8_t vocabulary;
  Holds holds = Holds::nothing;
};

constexpr std::uint8_t bits_of(Draft draft) { return static_cast<std::uint8_t>(draft); }
constexpr std::uint8_t until(Draft last) {
  return static_cast<std::uint8_t>(bits_of(last) * 2 - 1);
}
constexpr std::uint8_t from(Draft first) {
  return static_cast<std::uint8_t>(until(Draft::draft_2020_12) & ~(bits_of(first) - 1));
}
inline constexpr std::uint8_t kAll = until(Draft::draft_2020_12);
inline constexpr std::uint8_t kOnly04 = bits_of(Draft::draft_04);
inline constexpr std::uint8_t kFrom06 = from(Draft::draft_06);
inline constexpr std::uint8_t kFrom07 = from(Draft::draft_07);
inline constexpr std::uint8_t kOnly2019 = bits_of(Draft::draft_2019_09);
inline constexpr std::uint8_t kFrom2019 = from(Draft::draft_2019_09);
inline constexpr std::uint8_t kUntil2019 = until(Draft::draft_2019_09);
inline constexpr std::uint8_t kFrom2020 = from(Draft::draft_2020_12);

// Same order as the enum.
// clang-format off
inline constexpr std::array kKeywords{
    KeywordInfo{"$schema", kAll, kCore},
    KeywordInfo{"$vocabulary", kFrom2019, kCore},
    KeywordInfo{"$id", kFrom06, kCore},
    KeywordInfo{"$anchor", kFrom2019, kCore},
    KeywordInfo{"$dynamicAnchor", kFrom2020, kCore},
    KeywordInfo{"$ref", kAll, kCore},
    KeywordInfo{"$dynamicRef", kFrom2020, kCore},
    KeywordInfo{"id", kOnly04, kCore},
    KeywordInfo{"$recursiveAnchor", kOnly2019, kCore},
    KeywordInfo{"$recursiveRef", kOnly2019, kCore},
    KeywordInfo{"$defs", kAll, kCore, Holds::map},
    KeywordInfo{"definitions", kAll, kCore, Holds::map},
    KeywordInfo{"type", kAll, kValidation},
    KeywordInfo{"const", kFrom06, kValidation},
    KeywordInfo{"enum", kAll, kValidation},
    KeywordInfo{"minimum", kAll, kValidation},
    KeywordInfo{"maximum", kAll, kValidation},
    KeywordInfo{"exclusiveMinimum", kAll, kValidation},
    KeywordInfo{"exclusiveMaximum", kAll, kValidation},
    KeywordInfo{"multipleOf", kAll, kValidation},
    KeywordInfo{"minLength", kAll, kValidation},
    KeywordInfo{"maxLength", kAll, kValidation},
    KeywordInfo{"pattern", kAll, kValidation},
    KeywordInfo{"format", kAll, kFormatAnnotation | kFormatAssertion},
    KeywordInfo{"prefixItems", kFrom2020, kApplicator, Holds::list},
    KeywordInfo{"items", kAll, kApplicator, Holds::schema_or_list},
    KeywordInfo{"additionalItems", kUntil2019, kApplicator, Holds::schema},
    KeywordInfo{"contains", kFrom06, kApplicator, Holds::schema},
    KeywordInfo{"minContains", kFrom2019, kValidation},
    KeywordInfo{"maxContains", kFrom2019, kValidation},
    KeywordInfo{"minItems", kAll, kValidation},
    KeywordInfo{"maxItems", kAll, kValidation},
    KeywordInfo{"uniqueItems", kAll, kValidation},
    KeywordInfo{"properties", kAll, kApplicator, Holds::map},
    KeywordInfo{"patternProperties", kAll, kApplicator, Holds::map},
    KeywordInfo{"additionalProperties", kAll, kApplicator, Holds::schema},
    KeywordInfo{"required", kAll, kValidation},
    KeywordInfo{"propertyNames", kFrom06, kApplicator, Holds::schema},
    KeywordInfo{"minProperties", kAll, kValidation},
    KeywordInfo{"maxProperties", kAll, kValidation},
    KeywordInfo{"dependentRequired", kFrom2019, kValidation},
    KeywordInfo{"dependentSchemas", kFrom2019, kApplicator, Holds::map},
    KeywordInfo{"dependencies", kAll, kApplicator, Holds::map},
    KeywordInfo{"allOf", kAll, kApplicator, Holds::list},
    KeywordInfo{"anyOf", kAll, kApplicator, Holds::list},
    KeywordInfo{"oneOf", kAll, kApplicator, Holds::list},
    KeywordInfo{"not", kAll, kApplicator, Holds::schema},
    KeywordInfo{"if", kFrom07, kApplicator, Holds::schema},
    KeywordInfo{"then", kFrom07, kApplicator, Holds::schema},
    KeywordInfo{"else", kFrom07, kApplicator, Holds::schema},
    KeywordInfo{"unevaluatedItems", kFrom2019, kUnevaluated, Holds::schema},
    KeywordInfo{"unevaluatedProperties", kFrom2019, kUnevaluated, Holds::schema},
    KeywordInfo{"false", 0, 0},
};
// clang-format on
static_assert(kKeywords.size() == static_cast<std::size_t>(Keyword::never) + 1);

constexpr const KeywordInfo& info(Keyword keyword) {
  return kKeywords[static_cast<std::size_t>(keyword)];
}

// How a schema is read: the meaning of its `$schema`.
struct Dialect {
  Draft draft = Draft::draft_2020_12;
  std::uint8_t vocabularies = kAllVocabularies;

  // Keywords beside a `$ref` are ignored, and an anchor is the fragment of an id.
  bool is_old() const { return draft <= Draft::draft_07; }
  std::string_view id_keyword() const { return draft == Draft::draft_04 ? "id" : "$id"; }

  bool has(const KeywordInfo& keyword) const {
    return (keyword.drafts & static_cast<std::uint8_t>(draft)) != 0 &&
           (keyword.vocabulary & vocabularies) != 0;
  }
};

// The keyword of that name, if it exists in that dialect.
std::optional<Keyword> find_keyword(std::string_view name, const Dialect& dialect);

}  // namespace patchbay::json
