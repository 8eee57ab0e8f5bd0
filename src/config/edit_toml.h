// Sets a table of a TOML file and leaves every other byte as it is. Values only; usable from any
// thread.
#pragma once

#include <string>
#include <string_view>

#include "config/node.h"
#include "core/result.h"

namespace patchbay::config {

// Replaces the table [parent.name] and the tables below it, or adds it to the end. Its values are
// texts, booleans, lists of texts and maps of texts. An error if the file has `parent` in another
// form: as an inline table or with dotted keys.
Result<std::string> set_toml_table(std::string_view text, std::string_view parent,
                                   std::string_view name, const Node& table);

}  // namespace patchbay::config
