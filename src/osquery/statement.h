// A Statement is a SQL text that has been looked at without being run: it is one statement, it only
// reads, and these are the tables it names. This is a hint, which gives clear messages early. What
// keeps a table from being read is the engine: osqueryi does not have the tables that are denied,
// and for the built-in ones SQLite asks about each.
//
// It errs on the side of refusing. Values only; usable from any thread.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "core/result.h"

namespace patchbay::osquery {

struct Statement {
  std::string sql;       // Without blanks around it and without `;` at its end.
  std::string key = {};  // The same for texts that differ in blanks, comments and case.
  std::vector<std::string> tables = {};  // Lower case, each once.
};

Result<Statement> examine(std::string_view sql);

}  // namespace patchbay::osquery
