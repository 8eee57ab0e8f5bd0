#include "policy/audit/database.h"

#include <fmt/format.h>
#include <sqlite3.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <initializer_list>
#include <limits>

namespace patchbay::policy {
namespace {

constexpr std::int64_t kForgetPauseMs = 60'000;
constexpr int kAuditFormat = 1;

constexpr const char* kTable =
    "CREATE TABLE IF NOT EXISTS calls (when_ms INTEGER NOT NULL, who TEXT, name TEXT, "
    "auth_method TEXT, origin TEXT, frontend TEXT, method TEXT, target TEXT, upstream TEXT, "
    "digest TEXT, arguments TEXT, decision TEXT, rule TEXT, outcome TEXT, trace TEXT, us INTEGER, "
    "bytes_in INTEGER, "
    "bytes_out INTEGER, event TEXT, by_whom TEXT, skipped INTEGER, client TEXT);"
    "CREATE INDEX IF NOT EXISTS calls_by_time ON calls (when_ms);";

// Columns that databases of earlier versions do not have.
constexpr std::array kAdded{"event TEXT", "by_whom TEXT", "skipped INTEGER", "client TEXT"};

// Columns that have another name in databases of earlier versions.
struct RenamedColumn {
  const char* before;
  const char* now;
};
constexpr std::array kRenamed{RenamedColumn{"way", "auth_method"},
                              RenamedColumn{"face", "frontend"}};

constexpr const char* kInsert =
    "INSERT INTO calls (when_ms, who, name, auth_method, origin, frontend, method, target, "
    "upstream, "
    "digest, arguments, decision, rule, outcome, trace, us, bytes_in, bytes_out, event, by_whom, "
    "skipped, client) "
    "VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)";

// With the current names of the renamed columns, and the order.
constexpr const char* kFind =
    "SELECT when_ms, who, name, {}, origin, {}, method, target, upstream, digest, arguments, "
    "decision, rule, outcome, trace, us, bytes_in, bytes_out, event, by_whom, skipped, client, "
    "rowid "
    "FROM calls "
    "WHERE when_ms BETWEEN ?1 AND ?2 AND (?3 = '' OR who GLOB ?3 OR name GLOB ?3) "
    "AND (?4 = '' OR target GLOB ?4) AND (?5 = '' OR upstream GLOB ?5) "
    "AND (?6 = '' OR (?6 = '!ok' AND outcome <> 'ok') OR outcome GLOB ?6) "
    "AND (?7 = '' OR trace = ?7) "
    "AND (?9 = '' OR (?9 = 'call' AND IFNULL(event, '') = '') OR event GLOB ?9) "
    "AND rowid > ?10 AND rowid <= ?11 AND (?12 = '' OR who = ?12) ORDER BY {} LIMIT ?8";

void bind(sqlite::Statement& insert, const AuditRecord& record) {
  int column = 0;
  insert.bind(++column, record.when_ms);
  for (const auto* const text :
       {&record.caller, &record.name, &record.auth_method, &record.from, &record.frontend,
        &record.method, &record.target, &record.upstream, &record.digest, &record.arguments,
        &record.decision, &record.rule, &record.outcome, &record.trace}) {
    insert.bind(++column, *text);
  }
  insert.bind(++column, static_cast<std::int64_t>(record.ms * 1000));
  insert.bind(++column, static_cast<std::int64_t>(record.bytes_in));
  insert.bind(++column, static_cast<std::int64_t>(record.bytes_out));
  insert.bind(++column, record.event);
  insert.bind(++column, record.by);
  insert.bind(++column, static_cast<std::int64_t>(record.skipped));
  insert.bind(++column, record.client);
}

AuditRecord row_of(const sqlite::Statement& row) {
  AuditRecord record;
  int column = 0;
  record.when_ms = row.number(column);
  for (auto* const text :
       {&record.caller, &record.name, &record.auth_method, &record.from, &record.frontend,
        &record.method, &record.target, &record.upstream, &record.digest, &record.arguments,
        &record.decision, &record.rule, &record.outcome, &record.trace}) {
    *text = row.text(++column);
  }
  record.ms = static_cast<double>(row.number(++column)) / 1000;
  record.bytes_in = static_cast<std::uint64_t>(row.number(++column));
  record.bytes_out = static_cast<std::uint64_t>(row.number(++column));
  record.event = row.text(++column);
  record.by = row.text(++column);
  record.skipped = static_cast<std::uint64_t>(row.number(++column));
  record.client = row.text(++column);
  record.row = row.number(++column);
  return record;
}

bool has_column(sqlite::Database& database, std::string_view name) {
  sqlite::Statement known(database, "SELECT 1 FROM pragma_table_info('calls') WHERE name = ?");
  known.bind(1, name);
  return known.step() == SQLITE_ROW;
}

Result<void> add_columns(sqlite::Database& database) {
  for (const std::string_view column : kAdded) {
    if (has_column(database, column.substr(0, column.find(' ')))) continue;
    auto added = database.run(fmt::format("ALTER TABLE calls ADD COLUMN {}", column).c_str());
    if (!added) return added;
  }
  return ok();
}

Result<void> rename_columns(sqlite::Database& database) {
  for (const auto& column : kRenamed) {
    if (!has_column(database, column.before)) continue;
    auto renamed = database.run(
        fmt::format("ALTER TABLE calls RENAME COLUMN {} TO {}", column.before, column.now).c_str());
    if (!renamed) return renamed;
  }
  return ok();
}

// Queries of the database are interrupted at that time. REQUIRES: `end` outlives them.
void end_at(const sqlite::Database& database, const std::chrono::steady_clock::time_point& end) {
  constexpr int kInstructions = 10'000;  // Of the virtual machine, between two looks at the clock.
  const auto is_late = [](void* when) {
    const auto& at = *static_cast<const std::chrono::steady_clock::time_point*>(when);
    return static_cast<int>(std::chrono::steady_clock::now() > at);
  };
  ::sqlite3_progress_handler(database.get(), kInstructions, is_late,
                             const_cast<std::chrono::steady_clock::time_point*>(&end));
}

// A reader renames nothing, because a gateway of an earlier version may be writing to the file.
std::string find_statement(sqlite::Database& database, bool by_row) {
  const auto name_in_file = [&](const RenamedColumn& column) {
    return has_column(database, column.before) ? column.before : column.now;
  };
  return fmt::format(kFind, name_in_file(kRenamed[0]), name_in_file(kRenamed[1]),
                     by_row ? "rowid DESC" : "when_ms DESC, rowid DESC");
}

}  // namespace

Result<void> AuditDatabase::open() {
  if (database_) return ok();
  auto opened = sqlite::Database::open_format(path_, kAuditFormat);
  if (!opened) return opened.error();
  auto made = opened->run("PRAGMA journal_mode = WAL");
  if (made) made = opened->run(sync_ ? "PRAGMA synchronous = FULL" : "PRAGMA synchronous = NORMAL");
  if (made) made = opened->run(kTable);
  if (made) made = add_columns(*opened);
  if (made) made = rename_columns(*opened);
  if (made) made = opened->set_format(kAuditFormat);
  if (made) database_ = *std::move(opened);
  return made;
}

Result<void> AuditDatabase::write(const std::vector<AuditRecord>& records) {
  auto written = open();
  if (written) written = insert(records);
  if (!written) {
    database_.reset();  // The transaction is rolled back; the next attempt opens the file again.
    return Error{Code::unavailable, fmt::format("{}: {}", path_, written.error().message)};
  }
  return ok();
}

Result<void> AuditDatabase::insert(const std::vector<AuditRecord>& records) {
  auto done = database_->run("BEGIN IMMEDIATE");
  if (done && !records.empty()) {
    sqlite::Statement insert(*database_, kInsert);
    for (const auto& record : records) {
      bind(insert, record);
      done = insert.run();
      if (!done) return done;
    }
    done = forget_old(records.back().when_ms);
  }
  return done ? database_->run("COMMIT") : done;
}

Result<void> AuditDatabase::forget_old(std::int64_t now_ms) {
  if (keep_time_.count() == 0 || now_ms < next_forget_ms_) return ok();
  next_forget_ms_ = now_ms + kForgetPauseMs;
  sqlite::Statement forget(*database_, "DELETE FROM calls WHERE when_ms < ?");
  forget.bind(1, now_ms - keep_time_.count());
  return forget.run();
}

Result<std::vector<AuditRecord>> find_audit(const std::string& path, const AuditFilter& filter) {
  if (!std::filesystem::exists(path)) {
    return Error{Code::not_found, fmt::format("there is no {}", path)};
  }
  auto database = sqlite::Database::open_format(path, kAuditFormat);
  if (!database) return database.error();
  auto current = add_columns(*database);
  if (!current) return current.error();
  const auto end = std::chrono::steady_clock::now() + filter.max_time;
  if (filter.max_time.count() > 0) end_at(*database, end);
  sqlite::Statement find(*database, find_statement(*database, filter.by_row).c_str());
  find.bind(1, filter.since_ms.value_or(0));
  find.bind(2, filter.until_ms.value_or(std::numeric_limits<std::int64_t>::max()));
  find.bind(3, filter.caller);
  find.bind(4, filter.target);
  find.bind(5, filter.upstream);
  find.bind(6, filter.outcome);
  find.bind(7, filter.trace);
  find.bind(8, std::int64_t{filter.most});
  find.bind(9, filter.event);
  find.bind(10, filter.after_row);
  find.bind(11, filter.last_row);
  find.bind(12, filter.owner);
  std::vector<AuditRecord> records;
  int stepped = SQLITE_ROW;
  while ((stepped = find.step()) == SQLITE_ROW) records.push_back(row_of(find));
  if (stepped == SQLITE_INTERRUPT) {
    return Error{Code::timeout, fmt::format("the query takes longer than {}; narrow it with since",
                                            config::print(filter.max_time))};
  }
  if (stepped != SQLITE_DONE) {
    return Error{Code::internal, fmt::format("{}: {}", path, ::sqlite3_errmsg(database->get()))};
  }
  return records;
}

Result<std::int64_t> newest_audit_row(const std::string& path) {
  if (!std::filesystem::exists(path)) {
    return Error{Code::not_found, fmt::format("there is no {}", path)};
  }
  auto database = sqlite::Database::open_format(path, kAuditFormat);
  if (!database) return database.error();
  sqlite::Statement newest(*database, "SELECT IFNULL(MAX(rowid), 0) FROM calls");
  if (newest.step() == SQLITE_ROW) return newest.number(0);
  return Error{Code::internal, fmt::format("{}: {}", path, ::sqlite3_errmsg(database->get()))};
}

}  // namespace patchbay::policy
