// How a schema is compiled: its draft, its limits, and the documents that it may refer to.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

#include "json/schema/regex.h"

namespace patchbay::json {

// Bits of a set. A later draft has a higher one.
enum class Draft : std::uint8_t {
  draft_04 = 1,
  draft_06 = 2,
  draft_07 = 4,
  draft_2019_09 = 8,
  draft_2020_12 = 16,
};

// Limits on a schema and a value. Schemas come from upstreams, and values from anyone.
struct SchemaLimits {
  // Of a schema.
  std::size_t text = 1 << 20;          // Bytes.
  std::size_t values = 100'000;        // JSON values in it.
  std::size_t subschemas = 20'000;     // Including those of other documents that it refers to.
  std::size_t patterns = 100'000;      // Instructions of all regular expressions together.
  std::uint64_t compile = 20'000'000;  // Steps to resolve its references.
  RegexLimits regex = {};              // Work and tables are shared by all patterns.

  // Of a value that is validated.
  std::size_t value_parts = 1'000'000;  // JSON values in it.
  std::size_t depth = 512;              // Nested subschemas.
  std::uint64_t steps = 5'000'000;      // One for each evaluated subschema; more for long strings.
};

// A schema that `$ref` or `$schema` may name.
struct SchemaDocument {
  std::string_view uri;
  std::string_view text;
};

struct SchemaOptions {
  Draft default_draft = Draft::draft_2020_12;  // Where there is no `$schema`.
  bool formats = false;                        // `format` is checked, not only an annotation.
  SchemaLimits limits = {};
  std::span<const SchemaDocument> documents = {};
};

}  // namespace patchbay::json
