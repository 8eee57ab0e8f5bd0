// Registers the built-in tables with SQLite as virtual tables: a query scans them as if they were
// stored, and its `=` constraints are passed to them.
//
// Confined to the thread of the database.
#pragma once

#include "osquery/table.h"

struct sqlite3;

namespace patchbay::osquery {

// The shared state of the scans of a database. Outlives the database.
struct ScanContext {
  const Machine& machine;
  std::size_t most_bytes;             // Bytes that one scan may hold.
  std::optional<Error> failure = {};  // Why a scan of it failed.
  bool declaring = false;             // SQLite reads a table's columns; no query is running.
};

// All of tables(). Code::internal if SQLite does not take one.
Result<void> add_tables(sqlite3* database, ScanContext& context);

}  // namespace patchbay::osquery
