// A schema that stands inside another document instead of alone: its references lead to where its
// parts are there, and nothing in it has a name that something else in that document might have.
// Pure; any thread.
#pragma once

#include <string>
#include <string_view>

namespace patchbay::json {

// `schema` as it reads at `location` (a JSON pointer with its `#`) of a document of draft 2020-12.
// What draft-07 writes otherwise is written anew. A schema that cannot be read, or whose references
// depend on the way they are reached by, gets `name` as its `$id` and is left as it is.
std::string moved_schema(std::string_view schema, std::string_view location, std::string_view name);

}  // namespace patchbay::json
