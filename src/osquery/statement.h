// A Statement is a SQL text that has been parsed without being run: it is one statement, it only
// reads, and these are the tables it names. This is a hint, which gives clear messages early. The
// engine enforces the table policy: osqueryi does not have the denied tables, and for the built-in
// ones SQLite asks about each.
//
// Doubtful texts are refused. Values only; usable from any thread.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "core/result.h"

namespace patchbay::osquery {

struct Statement {
  std::string sql;       // Without surrounding white space and without a trailing `;`.
  std::string key = {};  // The same for texts that differ in blanks, comments and case.
  std::vector<std::string> tables = {};  // Lower case, each once.
};

Result<Statement> examine(std::string_view sql);

}  // namespace patchbay::osquery
