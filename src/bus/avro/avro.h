// An AvroSchema is a parsed schema of Apache Avro. It converts plain JSON to Avro's binary form and
// back, and describes that JSON as a JSON Schema.
//
// Plain JSON is what people would write: a union holds the bare value, not an object that names its
// type; bytes and fixed are base64; logical types are their underlying types. On the way to Avro, a
// union takes the first type that the value fits, and a missing field gets its default, or null
// where null is allowed. JSON has no NaN and no infinity: a value that contains one cannot be read.
//
// Never changed after parse(); threads may share it.
#pragma once

#include <memory>
#include <span>
#include <string>
#include <string_view>

#include "core/result.h"
#include "json/schema/schema.h"

namespace patchbay::bus {

// Limits on a schema and a value. Schemas come from registries, and values from anyone.
struct AvroLimits {
  std::size_t text = 1 << 20;      // Bytes of a schema.
  std::size_t types = 10'000;      // In a schema, with the schemas that it refers to.
  std::size_t defaults = 1 << 20;  // Bytes of all of them, in binary.
  std::size_t depth = 48;  // Of a value, so that its JSON can still be parsed inside a message.
  std::size_t values =
      1'000'000;  // Within one value, including failed attempts to find the type of a union.
  std::size_t bytes = 64 << 20;  // Of a value, in either form.
};

struct AvroTypes;

class AvroSchema {
 public:
  // `documents` are other schemas, by the full names of the types that they define.
  // Code::invalid_params for an invalid schema, Code::too_large beyond the limits.
  static Result<std::shared_ptr<const AvroSchema>> parse(
      std::string_view text, std::span<const json::SchemaDocument> documents = {},
      const AvroLimits& limits = {});
  explicit AvroSchema(std::unique_ptr<const AvroTypes> types);
  ~AvroSchema();

  // The JSON Schema (draft 2020-12) of the values.
  std::string json_schema() const;

  // Code::invalid_params for a value that does not fit, with its path; Code::parse_error for
  // invalid JSON; Code::too_large beyond the limits.
  Result<std::string> encode(std::string_view json) const;

  // Code::parse_error for bytes that this schema did not write; Code::too_large beyond the limits.
  Result<std::string> decode(std::string_view bytes) const;

 private:
  const std::unique_ptr<const AvroTypes> types_;
};

}  // namespace patchbay::bus
