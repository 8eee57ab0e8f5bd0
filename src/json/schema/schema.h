// A Schema is a JSON Schema (draft-04 to 2020-12) compiled once into a flat program that runs over
// JSON text. Nothing is ever fetched: a `$ref` names a part of the schema, a metaschema of one of
// the drafts, or a document passed in the options.
//
// Never changed after compile(); threads may share it.
#pragma once

#include <memory>
#include <string_view>
#include <vector>

#include "core/result.h"
#include "json/schema/options.h"
#include "json/schema/violation.h"

namespace patchbay::json {

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
