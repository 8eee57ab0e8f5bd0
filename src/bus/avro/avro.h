// An AvroSchema is a schema of Apache Avro, read once. It turns plain JSON into Avro's binary form
// and back, and says as a JSON Schema what that JSON looks like.
//
// Plain JSON is what people would write: a union holds the bare value and not an object that names
// its type, bytes and fixed are base64, and logical types are what they are underneath. Going to
// Avro, a union takes the first of its types that the value fits, and a field that is not given
// gets its default, or null where it may be null. NaN and the infinities cannot be said in JSON: a
// value that has one cannot be read.
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

// What a schema and a value may cost. Schemas come from registries and values from anyone.
struct AvroLimits {
  std::size_t text = 1 << 20;      // Bytes of a schema.
  std::size_t types = 10'000;      // In a schema, with those of others that it refers to.
  std::size_t defaults = 1 << 20;  // Bytes of all of them, in binary.
  std::size_t depth = 48;          // Of a value; JSON of it stays readable inside a message.
  std::size_t values = 1'000'000;  // Within one value; the tries to find one's type are counted.
  std::size_t bytes = 64 << 20;    // Of a value, in either form.
};

struct AvroTypes;

class AvroSchema {
 public:
  // `documents` are other schemas, by the full names of the types that they define.
  // Code::invalid_params for what is no schema, Code::too_large beyond the limits.
  static Result<std::shared_ptr<const AvroSchema>> parse(
      std::string_view text, std::span<const json::SchemaDocument> documents = {},
      const AvroLimits& limits = {});
  explicit AvroSchema(std::unique_ptr<const AvroTypes> types);
  ~AvroSchema();

  // The JSON Schema (draft 2020-12) of the values.
  std::string json_schema() const;

  // Code::invalid_params for a value that does not fit, with its place; Code::parse_error for what
  // is not JSON; Code::too_large beyond the limits.
  Result<std::string> encode(std::string_view json) const;

  // Code::parse_error for bytes that are not written by this schema; Code::too_large beyond the
  // limits.
  Result<std::string> decode(std::string_view bytes) const;

 private:
  const std::unique_ptr<const AvroTypes> types_;
};

}  // namespace patchbay::bus
