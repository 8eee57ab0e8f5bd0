// What an Avro schema has been read into: a flat list of types that refer to each other by number.
// Inside of AvroSchema; constant once it is read.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "bus/avro/avro.h"

namespace patchbay::bus {

// Those without parts come first, in the order of their names in avro_types.cc.
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

// As schemas call it: "int", "record".
std::string_view name_of(AvroKind kind);
std::optional<AvroKind> find_avro_kind(std::string_view name);

// The place of a type in the list. The primitive ones stand at the places of their kinds.
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
  std::string doc = {};      // What it is for, in words.
  std::string logical = {};  // What its values mean, as "timestamp-millis".
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

  // Which of its types is null, if `type` is a union that has it.
  std::optional<std::uint32_t> null_branch(const AvroType& type) const;
  // What people know it by: its name, or its kind.
  std::string_view title(AvroId id) const;
};

// What writing may still cost, with all the defaults in a value.
struct AvroBudget {
  std::size_t values = 0;
  std::size_t bytes = 0;  // Of all that is written.
};

// Writes the JSON `text` as a value of type `id`. `in_schema` is for defaults: bytes are given
// there by the numbers of characters.
Result<std::string> write_avro(const AvroTypes& types, AvroId id, std::string_view text,
                               bool in_schema, AvroBudget& budget);
// Reads a value of type `id`, which `bytes` hold and nothing more, into JSON of at most `most`
// bytes.
Result<std::string> read_avro(const AvroTypes& types, AvroId id, std::string_view bytes,
                              std::size_t most);
std::string avro_json_schema(const AvroTypes& types);

}  // namespace patchbay::bus
