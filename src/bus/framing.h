// How a key or a value names its schema: with the id in front, as Confluent's serialisers do, or in
// a header; or not at all, as command-line tools do. Pure.
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
  std::optional<int> id;     // Of the schema, by number...
  std::string guid;          // ...or by GUID, if this is not empty.
  std::string_view payload;  // The rest.

  bool bare() const { return !id && guid.empty(); }
};

// `header` is the content of the matching header, if there is one. Code::upstream_failed if the
// framing is cut off or unknown.
Result<Unframed> unframe(std::string_view bytes, std::optional<std::string_view> header);

// 0, the id in four bytes, the payload.
std::string frame(int id, std::string_view payload);

}  // namespace patchbay::bus
