// A parsed Avro schema: a flat list of types that refer to each other by index. Internal to
// AvroSchema; constant once it is parsed.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "bus/avro/avro.h"

namespace patchbay::bus {

// Types without parts come first, in the order of their names in types.cc.
enum class AvroKind : std::uint8_t {
  null,
  boolean,
  integer,  // 32 bits.
  long_integer,
  single,
  double_precision,
  bytes,
  string,
  record,
  enumeration,
  array,
  map,
  alternatives,  // A union.
  fixed,
};
inline constexpr std::size_t kAvroPrimitives = 8;

// Its name in schemas: "int", "record".
std::string_view name_of(AvroKind kind);
std::optional<AvroKind> find_avro_kind(std::string_view name);

// The index of a type in the list. Primitive types are at the indexes of their kinds.
using AvroId = std::uint32_t;

struct AvroField {
  std::string name;
  std::string doc = {};
  AvroId type = 0;
  std::optional<std::string> default_text = {};   // Raw, in Avro's own JSON.
  std::optional<std::string> default_bytes = {};  // The same in binary, once all types are known.
};

struct AvroType {
  AvroKind kind = AvroKind::null;
  std::string name = {};     // In full, of a record, an enumeration or a fixed.
  std::string doc = {};      // A description.
  std::string logical = {};  // The logical type, such as "timestamp-millis".
  std::vector<AvroField> fields = {};
  std::vector<std::string> symbols = {};
  std::map<std::string, std::uint32_t, std::less<>> indexes = {};  // Of fields or symbols, by name.
  std::vector<AvroId> branches = {};                               // Of a union.
  AvroId items = 0;                                                // Of an array or a map.
  std::size_t size = 0;                                            // Of a fixed.

  bool has_name() const { return !name.empty(); }
};

struct AvroTypes {
  std::vector<AvroType> list;
  AvroId root = 0;
  AvroLimits limits;

  const AvroType& operator[](AvroId id) const { return list[id]; }

  // The index of null, if `type` is a union that has it.
  std::optional<std::uint32_t> null_branch(const AvroType& type) const;
  // Its name, or its kind, for messages.
  std::string_view title(AvroId id) const;
};

// What writing may still cost, including all defaults in a value.
struct AvroBudget {
  std::size_t values = 0;
  std::size_t bytes = 0;  // Of all output.
};

// Writes the JSON `text` as a value of type `id`. `in_schema` is for defaults, where bytes are
// given by character codes.
Result<std::string> write_avro(const AvroTypes& types, AvroId id, std::string_view text,
                               bool in_schema, AvroBudget& budget);
// Reads a value of type `id`, which `bytes` hold exactly, into JSON of at most `most` bytes.
Result<std::string> read_avro(const AvroTypes& types, AvroId id, std::string_view bytes,
                              std::size_t most);
std::string avro_json_schema(const AvroTypes& types);

}  // namespace patchbay::bus
