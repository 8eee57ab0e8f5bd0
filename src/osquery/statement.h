// A Statement is a SQL text that has been looked at without being run: it is one statement, it only
// reads, and these are the tables it names. For osqueryi, which runs what it is given, this is the
// guard; for the built-in tables, where SQLite itself asks about each table, it is the friendlier
// of two.
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
