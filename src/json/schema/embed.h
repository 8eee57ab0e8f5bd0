// Embeds a schema in another document: its references lead to the new locations of its parts, and
// none of its names can collide with others in that document. Pure; any thread.
#pragma once

#include <string>
#include <string_view>

namespace patchbay::json {

// `schema` as it must be written at `location` (a JSON pointer with its `#`) of a document of draft
// 2020-12. Forms of draft-07 are converted. A schema that cannot be read, or that has dynamic
// references, gets `name` as its `$id` and stays unchanged.
std::string moved_schema(std::string_view schema, std::string_view location, std::string_view name);

}  // namespace patchbay::json
