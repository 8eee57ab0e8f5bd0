#include "store/embedded_tables.h"

#include <fmt/format.h>
#include <sqlite3.h>

#include <algorithm>
#include <array>
#include <chrono>

#include "core/discard.h"
#include "store/sealed_value.h"

namespace patchbay::store {
namespace {

// How long an erased entry is remembered, so that other processes learn of it.
constexpr auto kErasedTime = std::chrono::minutes(10);
constexpr std::int64_t kNoExpiry = 0;

// The step from each format of the file to the next. A step that has been released never changes.
constexpr std::array kSteps{
    // A value that is NULL has been erased. Milliseconds since 1970; 0: never.
    "CREATE TABLE entries (id INTEGER PRIMARY KEY, tab TEXT NOT NULL, key TEXT NOT NULL, "
    "value TEXT, version INTEGER NOT NULL, expires INTEGER NOT NULL, UNIQUE (tab, key));"
    "CREATE INDEX entries_by_version ON entries (version);"
    "CREATE INDEX entries_by_expiry ON entries (expires) WHERE expires > 0;"
    "CREATE TABLE versions (id INTEGER PRIMARY KEY CHECK (id = 1), last INTEGER NOT NULL);"
    "INSERT INTO versions VALUES (1, 0);",
    "CREATE TABLE counters (tab TEXT NOT NULL, key TEXT NOT NULL, total INTEGER NOT NULL, "
    "expires INTEGER NOT NULL, PRIMARY KEY (tab, key)) WITHOUT ROWID;"
    "CREATE INDEX counters_by_expiry ON counters (expires) WHERE expires > 0;",
};

// In WAL mode a commit waits for no disk: it survives the end of the process, and the last ones may
// be lost when the machine loses power.
constexpr const char* kMode =
    "PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL; PRAGMA secure_delete = ON;";

std::int64_t milliseconds(Time time) {
  if (time == Time::max()) return kNoExpiry;
  const auto since = std::chrono::duration_cast<std::chrono::milliseconds>(time.time_since_epoch());
  return std::max<std::int64_t>(since.count(), 1);
}

std::int64_t format_of(const sqlite::Database& database) {
  sqlite::Statement version(database, "PRAGMA user_version");
  return version.step() == SQLITE_ROW ? version.number(0) : 0;
}

Result<void> migrate(sqlite::Database& database) {
  auto done = database.run("BEGIN IMMEDIATE");
  // Another process may have done it meanwhile.
  const auto from = static_cast<std::size_t>(std::max<std::int64_t>(format_of(database), 0));
  for (std::size_t step = from; done && step < kSteps.size(); ++step) {
    done = database.run(kSteps[step]);
  }
  if (done) done = database.set_format(static_cast<int>(kSteps.size()));
  if (done) done = database.run("COMMIT");
  if (!done) discard(database.run("ROLLBACK"), "there was nothing to undo");
  return done;
}

}  // namespace

Result<EmbeddedTables> EmbeddedTables::open(const std::string& path, const policy::Keyring& keys) {
  auto database = sqlite::Database::open_format(path, static_cast<int>(kSteps.size()));
  if (!database) return database.error();
  auto made = database->run(kMode);
  if (made && format_of(*database) < static_cast<std::int64_t>(kSteps.size())) {
    made = migrate(*database);
  }
  if (!made) {
    return Error{Code::internal, fmt::format("cannot use {}: {}", path, made.error().message)};
  }
  return EmbeddedTables(*std::move(database), keys);
}

Error EmbeddedTables::failure() const {
  return {Code::internal, fmt::format("the store: {}", ::sqlite3_errmsg(database_.get()))};
}

Result<void> EmbeddedTables::begin() { return database_.run("BEGIN IMMEDIATE"); }
Result<void> EmbeddedTables::commit() { return database_.run("COMMIT"); }
void EmbeddedTables::roll_back() {
  discard(database_.run("ROLLBACK"), "there was nothing to undo");
}

std::int64_t EmbeddedTables::number(const char* sql) {
  sqlite::Statement statement(database_, sql);
  return statement.step() == SQLITE_ROW ? statement.number(0) : 0;
}

std::uint64_t EmbeddedTables::size() {
  const auto pages = number("PRAGMA page_count") - number("PRAGMA freelist_count");
  return static_cast<std::uint64_t>(std::max<std::int64_t>(pages, 0)) *
         static_cast<std::uint64_t>(number("PRAGMA page_size"));
}

Result<std::optional<Entry>> EmbeddedTables::get(std::string_view table, const std::string& key,
                                                 Time now) {
  sqlite::Statement select(database_,
                           "SELECT value, version FROM entries WHERE tab = ? AND key = ? AND "
                           "value IS NOT NULL AND (expires = 0 OR expires > ?)");
  select.bind(1, table);
  select.bind(2, std::string_view(key));
  select.bind(3, milliseconds(now));
  const int stepped = select.step();
  if (stepped == SQLITE_DONE) return std::optional<Entry>();
  if (stepped != SQLITE_ROW) return failure();
  auto value = open_value(*keys_, table, key, select.text(0));
  if (!value) return value.error();
  return std::optional(Entry{key, *std::move(value), static_cast<Version>(select.number(1))});
}

Result<Version> EmbeddedTables::next_version() {
  sqlite::Statement next(database_,
                         "UPDATE versions SET last = last + 1 WHERE id = 1 RETURNING last");
  if (next.step() != SQLITE_ROW) return failure();
  const auto version = static_cast<Version>(next.number(0));
  if (next.step() != SQLITE_DONE) return failure();
  return version;
}

Result<Version> EmbeddedTables::put(std::string_view table, const Item& item) {
  if (size() + item.value.size() > max_size_) {
    return Error{Code::overloaded, "the store is full (cluster.max_store_size)"};
  }
  auto version = next_version();
  if (!version) return version;
  const std::string sealed = seal_value(*keys_, table, item.key, item.value);
  sqlite::Statement put(database_,
                        "INSERT INTO entries (tab, key, value, version, expires) VALUES (?1, ?2, "
                        "?3, ?4, ?5) ON CONFLICT (tab, key) DO UPDATE SET value = ?3, "
                        "version = ?4, expires = ?5");
  put.bind(1, table);
  put.bind(2, std::string_view(item.key));
  put.bind(3, std::string_view(sealed));
  put.bind(4, static_cast<std::int64_t>(*version));
  put.bind(5, milliseconds(item.expires));
  auto done = put.run();
  if (!done) return done.error();
  return version;
}

Result<std::optional<Version>> EmbeddedTables::put_if(std::string_view table, const Item& item,
                                                      Version expected, Time now) {
  sqlite::Statement select(database_,
                           "SELECT version FROM entries WHERE tab = ? AND key = ? AND value IS "
                           "NOT NULL AND (expires = 0 OR expires > ?)");
  select.bind(1, table);
  select.bind(2, std::string_view(item.key));
  select.bind(3, milliseconds(now));
  const int stepped = select.step();
  if (stepped != SQLITE_ROW && stepped != SQLITE_DONE) return failure();
  const Version found = stepped == SQLITE_ROW ? static_cast<Version>(select.number(0)) : kAbsent;
  if (found != expected) return std::optional<Version>();
  auto version = put(table, item);
  if (!version) return version.error();
  return std::optional(*version);
}

Result<void> EmbeddedTables::erase(std::string_view table, const std::string& key, Time now) {
  auto version = next_version();
  if (!version) return version.error();
  sqlite::Statement update(database_,
                           "UPDATE entries SET value = NULL, version = ?, expires = ? WHERE tab = "
                           "? AND key = ? AND value IS NOT NULL");
  update.bind(1, static_cast<std::int64_t>(*version));
  update.bind(2, milliseconds(now + kErasedTime));
  update.bind(3, table);
  update.bind(4, std::string_view(key));
  return update.run();
}

Result<std::vector<Entry>> EmbeddedTables::scan(std::string_view table, const std::string& after,
                                                std::size_t most, Time now) {
  sqlite::Statement select(database_,
                           "SELECT key, value, version FROM entries WHERE tab = ? AND key > ? AND "
                           "value IS NOT NULL AND (expires = 0 OR expires > ?) ORDER BY key "
                           "LIMIT ?");
  select.bind(1, table);
  select.bind(2, std::string_view(after));
  select.bind(3, milliseconds(now));
  select.bind(4, static_cast<std::int64_t>(most));
  std::vector<Entry> found;
  int stepped = SQLITE_ROW;
  while ((stepped = select.step()) == SQLITE_ROW) {
    std::string key = select.text(0);
    auto value = open_value(*keys_, table, key, select.text(1));
    if (!value) continue;
    found.push_back({std::move(key), *std::move(value), static_cast<Version>(select.number(2))});
  }
  if (stepped != SQLITE_DONE) return failure();
  return found;
}

Result<std::int64_t> EmbeddedTables::add(std::string_view table, const std::string& key,
                                         std::int64_t delta, Time expires, Time now) {
  // One that has expired begins anew.
  sqlite::Statement add(database_,
                        "INSERT INTO counters (tab, key, total, expires) VALUES (?1, ?2, ?3, ?4) "
                        "ON CONFLICT (tab, key) DO UPDATE SET "
                        "total = IIF(expires > 0 AND expires <= ?5, 0, total) + ?3, "
                        "expires = IIF(expires > 0 AND expires <= ?5, ?4, expires) "
                        "RETURNING total");
  add.bind(1, table);
  add.bind(2, std::string_view(key));
  add.bind(3, delta);
  add.bind(4, milliseconds(expires));
  add.bind(5, milliseconds(now));
  if (add.step() != SQLITE_ROW) return failure();
  const std::int64_t total = add.number(0);
  if (add.step() != SQLITE_DONE) return failure();
  return total;
}

Result<std::chrono::microseconds> EmbeddedTables::advance(std::string_view table,
                                                          const std::string& key,
                                                          std::chrono::microseconds by, Time now) {
  const auto at =
      std::chrono::duration_cast<std::chrono::microseconds>(now.time_since_epoch()).count();
  sqlite::Statement move(database_,
                         "INSERT INTO counters (tab, key, total, expires) VALUES (?1, ?2, ?3 + ?4, "
                         "(?3 + ?4) / 1000 + 1) ON CONFLICT (tab, key) DO UPDATE SET "
                         "total = MAX(total, ?3) + ?4, expires = (MAX(total, ?3) + ?4) / 1000 + 1 "
                         "RETURNING total");
  move.bind(1, table);
  move.bind(2, std::string_view(key));
  move.bind(3, at);
  move.bind(4, static_cast<std::int64_t>(by.count()));
  if (move.step() != SQLITE_ROW) return failure();
  const std::chrono::microseconds ahead(move.number(0) - at);
  if (move.step() != SQLITE_DONE) return failure();
  return ahead;
}

Result<Version> EmbeddedTables::last_version() {
  sqlite::Statement select(database_, "SELECT last FROM versions WHERE id = 1");
  if (select.step() != SQLITE_ROW) return failure();
  return static_cast<Version>(select.number(0));
}

Result<EmbeddedTables::Changes> EmbeddedTables::changes_after(Version version, std::size_t most) {
  sqlite::Statement select(database_,
                           "SELECT tab, key, value IS NULL, value, version FROM entries WHERE "
                           "version > ? ORDER BY version LIMIT ?");
  select.bind(1, static_cast<std::int64_t>(version));
  select.bind(2, static_cast<std::int64_t>(most));
  Changes changes{{}, version, false};
  std::size_t rows = 0;
  int stepped = SQLITE_ROW;
  while ((stepped = select.step()) == SQLITE_ROW) {
    ++rows;
    std::string table = select.text(0);
    Change change{select.text(1), std::nullopt, static_cast<Version>(select.number(4))};
    changes.last = change.version;
    if (select.number(2) == 0) {
      auto value = open_value(*keys_, table, change.key, select.text(3));
      if (!value) continue;
      change.value = *std::move(value);
    }
    changes.list.push_back({std::move(table), std::move(change)});
  }
  if (stepped != SQLITE_DONE) return failure();
  changes.more = rows == most;
  return changes;
}

Result<std::size_t> EmbeddedTables::purge(Time now, std::size_t most) {
  std::size_t count = 0;
  for (const auto* const sql :
       {"DELETE FROM entries WHERE id IN (SELECT id FROM entries WHERE expires > 0 AND expires <= "
        "?1 LIMIT ?2)",
        "DELETE FROM counters WHERE (tab, key) IN (SELECT tab, key FROM counters WHERE expires > 0 "
        "AND expires <= ?1 LIMIT ?2)"}) {
    sqlite::Statement remove(database_, sql);
    remove.bind(1, milliseconds(now));
    remove.bind(2, static_cast<std::int64_t>(most - count));
    auto removed = remove.run();
    if (!removed) return removed.error();
    count += static_cast<std::size_t>(::sqlite3_changes(database_.get()));
  }
  return count;
}

}  // namespace patchbay::store
