// Makes the built-in tables known to SQLite as virtual tables: a query scans them as if they were
// stored, and what it compares with `=` is handed to them.
//
// Confined to the thread of the database.
#pragma once

#include "osquery/table.h"

struct sqlite3;

namespace patchbay::osquery {

// What the scans of a database share. Outlives the database.
struct ScanContext {
  const Machine& machine;
  std::size_t most_bytes;             // That one scan may keep.
  std::optional<Error> failure = {};  // Why a scan of it failed.
  bool declaring = false;  // SQLite is being told of a table's columns, not asked by a query.
};

// All of tables(). Code::internal if SQLite does not take one.
Result<void> add_tables(sqlite3* database, ScanContext& context);

}  // namespace patchbay::osquery
