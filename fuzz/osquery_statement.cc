// Fuzzes the check of SQL before it is run: it must find every table that SQLite would open. A
// table that it misses would be stopped only by the engine.
#include <sqlite3.h>

#include <algorithm>
#include <map>
#include <memory>
#include <string>

#include "fuzz/require.h"
#include "osquery/statement.h"
#include "osquery/text.h"

namespace {

using namespace patchbay;

using Prepared = std::unique_ptr<sqlite3_stmt, int (*)(sqlite3_stmt*)>;

Prepared prepare(sqlite3* connection, const std::string& sql) {
  sqlite3_stmt* made = nullptr;
  const char* rest = nullptr;
  sqlite3_prepare_v2(connection, sql.c_str(), -1, &made, &rest);
  // Of what can be prepared, all is one statement.
  if (made) fuzz::require(trimmed(rest).empty());
  return {made, sqlite3_finalize};
}

std::string_view text(const Prepared& row, int column) {
  const auto* const found = reinterpret_cast<const char*>(sqlite3_column_text(row.get(), column));
  return found ? found : "";
}

// Ordinary tables: what a program opens is known by its page.
struct Sqlite {
  Sqlite() {
    sqlite3_open(":memory:", &connection);
    for (const auto* const name : {"users", "groups", "time", "uptime", "mounts", "file", "hash"}) {
      sqlite3_exec(connection, (std::string("CREATE TABLE ") + name + "(uid, gid)").c_str(),
                   nullptr, nullptr, nullptr);
    }
    const auto rows = prepare(connection, "SELECT rootpage, name FROM sqlite_master");
    while (sqlite3_step(rows.get()) == SQLITE_ROW) {
      pages[sqlite3_column_int(rows.get(), 0)] = text(rows, 1);
    }
  }

  sqlite3* connection = nullptr;
  std::map<int, std::string> pages;
};

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static Sqlite sqlite;
  const auto statement = osquery::examine(fuzz::text_of(data, size));
  if (!statement) {
    fuzz::require(!statement.error().message.empty());
    return 0;
  }
  constexpr int kOpcode = 1;
  constexpr int kPage = 3;
  constexpr int kDatabase = 4;
  const auto program = prepare(sqlite.connection, "EXPLAIN " + statement->sql);
  while (program && sqlite3_step(program.get()) == SQLITE_ROW) {
    const bool opens =
        text(program, kOpcode) == "OpenRead" && sqlite3_column_int(program.get(), kDatabase) == 0;
    const auto table = sqlite.pages.find(sqlite3_column_int(program.get(), kPage));
    if (!opens || table == sqlite.pages.end()) continue;
    fuzz::require(std::ranges::find(statement->tables, table->second) != statement->tables.end());
  }
  return 0;
}
