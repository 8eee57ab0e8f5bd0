// Fuzzes the look at SQL before it is run: whatever SQLite would read, it has seen. A table that
// SQLite is about to touch and that was not found would be a way around the guard of osqueryi.
#include <sqlite3.h>

#include <algorithm>
#include <set>
#include <string>

#include "fuzz/require.h"
#include "osquery/statement.h"
#include "osquery/text.h"
#include "osquery/virtual_table.h"

namespace {

using namespace patchbay;

struct Sqlite {
  Sqlite() {
    sqlite3_open(":memory:", &connection);
    auto added = osquery::add_tables(connection, context);
    fuzz::require(static_cast<bool>(added));
    sqlite3_set_authorizer(connection, note, this);
  }

  static int note(void* self, int action, const char* table, const char*, const char*,
                  const char*) {
    auto& sqlite = *static_cast<Sqlite*>(self);
    if (sqlite.context.declaring) return SQLITE_OK;
    if (action == SQLITE_READ && osquery::find_table(osquery::lower(table))) {
      sqlite.read.insert(osquery::lower(table));
    }
    const bool harmless = action == SQLITE_READ || action == SQLITE_SELECT ||
                          action == SQLITE_RECURSIVE || action == SQLITE_FUNCTION;
    return harmless ? SQLITE_OK : SQLITE_DENY;
  }

  osquery::Machine machine;
  osquery::ScanContext context{machine, 1 << 20};
  sqlite3* connection = nullptr;
  std::set<std::string> read;
};

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static Sqlite sqlite;
  const auto statement = osquery::examine(fuzz::text_of(data, size));
  if (!statement) {
    fuzz::require(!statement.error().message.empty());
    return 0;
  }
  sqlite.read.clear();
  sqlite3_stmt* prepared = nullptr;
  const char* rest = nullptr;
  const int code = sqlite3_prepare_v2(sqlite.connection, statement->sql.data(),
                                      static_cast<int>(statement->sql.size()), &prepared, &rest);
  sqlite3_finalize(prepared);
  if (code != SQLITE_OK) return 0;
  // One statement, and every table in it is known.
  fuzz::require(osquery::trimmed(rest).empty());
  for (const auto& table : sqlite.read) {
    fuzz::require(std::ranges::find(statement->tables, table) != statement->tables.end());
  }
  return 0;
}
