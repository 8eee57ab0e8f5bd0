// A Database runs SQL over the built-in tables. It stores nothing, only reads, and checks each
// table and function that a query uses.
//
// Confined to one thread, which a query blocks: SQLite cannot be interrupted in the middle of a
// function. It bounds the memory of SQLite; its process bounds the rest.
#pragma once

#include <memory>
#include <string>

#include "osquery/rows.h"
#include "osquery/settings.h"
#include "osquery/table_policy.h"
#include "osquery/virtual_table.h"

struct sqlite3_stmt;

namespace patchbay::osquery {

class Database {
 public:
  // REQUIRES: settings, policy and machine outlive the database.
  static Result<std::unique_ptr<Database>> open(const Settings& settings, const TablePolicy& policy,
                                                const Machine& machine);
  ~Database();

  // The rows as text. Code::too_large: the query was aborted; Code::forbidden: it is not permitted;
  // Code::invalid_params: it is wrong.
  Result<std::string> run(const std::string& sql, Format format);

 private:
  Database(const Settings& settings, const TablePolicy& policy, const Machine& machine);

  Result<void> prepare_connection();
  Result<void> step_all(sqlite3_stmt* statement, RowWriter& rows);
  Error failure(std::string_view otherwise) const;
  static int authorize(void* self, int action, const char* first, const char* second, const char*,
                       const char*);

  const Settings& settings_;
  const TablePolicy& policy_;
  ScanContext context_;
  sqlite3* connection_ = nullptr;
  std::string denied_;  // What the running query is denied.
};

}  // namespace patchbay::osquery
