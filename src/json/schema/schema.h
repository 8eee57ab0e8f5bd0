// A Schema is a JSON Schema (draft-04 to 2020-12) compiled once into a flat program that runs over
// JSON text. Nothing is ever fetched: a `$ref` names a part of the schema, a metaschema of one of
// the drafts, or a document passed in the options.
//
// Never changed after compile(); threads may share it.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/result.h"
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

// One violation.
struct Violation {
  std::string pointer;  // JSON pointer of the violating part; empty for the whole.
  std::string keyword;
  std::string reason;  // For people: "must be a number, is a string".
};

struct SchemaProgram;

class Schema {
 public:
  // Fails on an invalid schema, an unresolved reference, or beyond the limits.
  static Result<std::shared_ptr<const Schema>> compile(std::string_view text,
                                                       const SchemaOptions& options = {});
  explicit Schema(std::unique_ptr<const SchemaProgram> program);
  ~Schema();

  // The first violation as an Error of Code::invalid_params, with pointer, keyword and reason in
  // its data too. Code::parse_error for invalid JSON, Code::too_large if it cannot be checked
  // within the limits.
  Result<void> validate(std::string_view value) const;

  // Up to `most` violations in the order they were found; none if the value is valid. Fails like
  // validate() if it cannot be checked.
  Result<std::vector<Violation>> violations(std::string_view value, std::size_t most) const;

 private:
  const std::unique_ptr<const SchemaProgram> program_;
};

}  // namespace patchbay::json
