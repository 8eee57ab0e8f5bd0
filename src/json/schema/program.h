// A compiled schema: arrays that refer to each other by index. A Block is one subschema; its Steps
// are its keywords, in the order of evaluation.
//
// Never changed once compiled; threads may share it.
#pragma once

#include <cstdint>
#include <deque>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "json/index.h"
#include "json/schema/keywords.h"
#include "json/schema/options.h"
#include "json/schema/regex.h"

namespace patchbay::json {

using BlockId = std::uint32_t;
inline constexpr std::uint32_t kNone = std::numeric_limits<std::uint32_t>::max();

// Sets of types are bits; integers have one of their own.
constexpr std::uint8_t bit(Type type) {
  return static_cast<std::uint8_t>(1 << static_cast<int>(type));
}
inline constexpr std::uint8_t kIntegerBit = 0x80;
inline constexpr std::uint8_t kAnyType = 0x7F;

// What `a`, `b` and `c` mean depends on the keyword:
//
//   type                        a: set of types
//   const, enum                 a: constant
//   minimum … multipleOf        a: number
//   minLength … maxProperties   a: count
//   pattern                     a: regular expression, b: name (its text)
//   format                      a: format, b: name
//   items                       a: first of the list of prefix schemas, b: how many, c: block of
//   the rest contains                    a: block, b: at least, c: at most properties a: one of
//   `members` dependentRequired           a: name, b: first of the list of names, c: how many
//   dependentSchemas            a: name, b: block
//   allOf, anyOf, oneOf         a: first of the list of blocks, b: how many
//   if                          a, b, c: blocks of if, then, else
//   $dynamicRef                 a: block, b: row of `dynamic`
//   $ref, not, propertyNames, unevaluated…   a: block
struct SchemaStep {
  Keyword keyword;
  std::uint8_t types = kAnyType;  // Of values that it applies to.
  bool evaluates = true;          // Of contains: matching elements count as evaluated.
  std::uint32_t a = 0;
  std::uint32_t b = 0;
  std::uint32_t c = 0;
};

struct SchemaBlock {
  std::uint32_t first = 0;
  std::uint32_t count = 0;
  std::uint32_t resource = 0;
  bool unevaluated = false;  // Has a keyword that depends on what the others have evaluated.
};

// A number as written, and as an integer if it is a short one.
struct SchemaNumber {
  std::string raw;
  std::optional<std::int64_t> small;
};

struct SchemaConstant {
  std::string text;
  Index index;
};

// `properties`, `patternProperties`, `additionalProperties` and `required` of one subschema: one
// pass over an object evaluates all four.
struct SchemaMembers {
  std::uint32_t first = 0;     // Of a hash table of slots, its size a power of two;
  std::uint32_t mask = 0;      // its size minus one.
  std::uint32_t patterns = 0;  // First of the list of pairs: regular expression, block.
  std::uint32_t pattern_count = 0;
  BlockId additional = kNone;
  std::uint32_t required = 0;  // The number of required slots.
};

struct SchemaSlot {
  std::uint32_t hash = 0;
  std::uint32_t name = kNone;  // None: the slot is free.
  BlockId block = kNone;
  bool required = false;
};

struct SchemaProgram {
  std::vector<SchemaStep> steps;
  std::vector<SchemaBlock> blocks;  // The first one is the schema itself.
  std::vector<std::uint32_t> lists;
  std::vector<std::string> names;
  std::vector<SchemaNumber> numbers;
  std::deque<SchemaConstant> constants;  // A deque: an index points into the text beside it.
  std::vector<Regex> patterns;
  std::vector<SchemaMembers> members;
  std::vector<SchemaSlot> slots;

  // [name of a dynamic anchor][resource]: the block it names there.
  std::vector<BlockId> dynamic;
  std::uint32_t resources = 0;

  SchemaLimits limits;

  const SchemaSlot* slot(const SchemaMembers& table, std::uint32_t hash,
                         std::string_view key) const {
    for (std::uint32_t at = hash & table.mask;; at = (at + 1) & table.mask) {
      const SchemaSlot& one = slots[table.first + at];
      if (one.name == kNone) return nullptr;
      if (one.hash == hash && names[one.name] == key) return &one;
    }
  }
};

}  // namespace patchbay::json
