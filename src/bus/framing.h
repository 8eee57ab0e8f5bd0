// How a key or a value says which schema it is written by: the id in front of it, as Confluent's
// serialisers do, or in a header; or not at all, as people with a command line do. Pure.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "core/result.h"

namespace patchbay::bus {

// The headers that may hold the id.
inline constexpr char kKeySchemaHeader[] = "__key_schema_id";
inline constexpr char kValueSchemaHeader[] = "__value_schema_id";

struct Unframed {
  std::optional<int> id;     // Of the schema, if it is said by number...
  std::string guid;          // ...or by its other name, if this is not empty.
  std::string_view payload;  // What is left.

  bool bare() const { return !id && guid.empty(); }
};

// `header` is the content of the header that goes with it, if there is one.
// Code::upstream_failed if the framing is cut off or of a kind that nobody knows.
Result<Unframed> unframe(std::string_view bytes, std::optional<std::string_view> header);

// 0, the id in four bytes, the payload.
std::string frame(int id, std::string_view payload);

}  // namespace patchbay::bus
