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

constexpr const char* kTable =
    "CREATE TABLE IF NOT EXISTS calls (when_ms INTEGER NOT NULL, who TEXT, name TEXT, way TEXT, "
    "origin TEXT, face TEXT, method TEXT, target TEXT, upstream TEXT, digest TEXT, arguments TEXT, "
    "decision TEXT, rule TEXT, outcome TEXT, trace TEXT, us INTEGER, bytes_in INTEGER, "
    "bytes_out INTEGER, event TEXT, by_whom TEXT, skipped INTEGER);"
    "CREATE INDEX IF NOT EXISTS calls_by_time ON calls (when_ms);";

// Columns that databases of earlier versions lack.
constexpr std::array kNewer{"event TEXT", "by_whom TEXT", "skipped INTEGER"};

constexpr const char* kInsert =
    "INSERT INTO calls (when_ms, who, name, way, origin, face, method, target, upstream, digest, "
    "arguments, decision, rule, outcome, trace, us, bytes_in, bytes_out, event, by_whom, skipped) "
    "VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)";

constexpr const char* kFind =
    "SELECT when_ms, who, name, way, origin, face, method, target, upstream, digest, arguments, "
    "decision, rule, outcome, trace, us, bytes_in, bytes_out, event, by_whom, skipped FROM calls "
    "WHERE when_ms BETWEEN ?1 AND ?2 AND (?3 = '' OR who GLOB ?3 OR name GLOB ?3) "
    "AND (?4 = '' OR target GLOB ?4) AND (?5 = '' OR upstream GLOB ?5) "
    "AND (?6 = '' OR (?6 = '!ok' AND outcome <> 'ok') OR outcome GLOB ?6) "
    "AND (?7 = '' OR trace = ?7) "
    "AND (?9 = '' OR (?9 = 'call' AND IFNULL(event, '') = '') OR event GLOB ?9) ORDER BY when_ms "
    "DESC, rowid DESC LIMIT ?8";

void bind(sqlite::Statement& insert, const AuditRecord& record) {
  int place = 0;
  insert.bind(++place, record.when_ms);
  for (const auto* const text :
       {&record.who, &record.name, &record.way, &record.from, &record.frontend, &record.method,
        &record.target, &record.upstream, &record.digest, &record.arguments, &record.decision,
        &record.rule, &record.outcome, &record.trace}) {
    insert.bind(++place, *text);
  }
  insert.bind(++place, static_cast<std::int64_t>(record.ms * 1000));
  insert.bind(++place, static_cast<std::int64_t>(record.bytes_in));
  insert.bind(++place, static_cast<std::int64_t>(record.bytes_out));
  insert.bind(++place, record.event);
  insert.bind(++place, record.by);
  insert.bind(++place, static_cast<std::int64_t>(record.skipped));
}

AuditRecord row_of(const sqlite::Statement& row) {
  AuditRecord record;
  int column = 0;
  record.when_ms = row.number(column);
  for (auto* const text :
       {&record.who, &record.name, &record.way, &record.from, &record.frontend, &record.method,
        &record.target, &record.upstream, &record.digest, &record.arguments, &record.decision,
        &record.rule, &record.outcome, &record.trace}) {
    *text = row.text(++column);
  }
  record.ms = static_cast<double>(row.number(++column)) / 1000;
  record.bytes_in = static_cast<std::uint64_t>(row.number(++column));
  record.bytes_out = static_cast<std::uint64_t>(row.number(++column));
  record.event = row.text(++column);
  record.by = row.text(++column);
  record.skipped = static_cast<std::uint64_t>(row.number(++column));
  return record;
}

// Databases of earlier versions get the columns that came later.
Result<void> add_newer(sqlite::Database& database) {
  for (const char* const column : kNewer) {
    const std::string name = std::string(column).substr(0, std::string_view(column).find(' '));
    sqlite::Statement known(database, "SELECT 1 FROM pragma_table_info('calls') WHERE name = ?");
    known.bind(1, std::string_view(name));
    if (known.step() == SQLITE_ROW) continue;
    auto added = database.run(fmt::format("ALTER TABLE calls ADD COLUMN {}", column).c_str());
    if (!added) return added;
  }
  return ok();
}

}  // namespace

Result<void> AuditDatabase::open() {
  if (database_) return ok();
  auto opened = sqlite::Database::open(path_);
  if (!opened) return opened.error();
  auto made = opened->run("PRAGMA journal_mode = WAL");
  if (made) made = opened->run(sync_ ? "PRAGMA synchronous = FULL" : "PRAGMA synchronous = NORMAL");
  if (made) made = opened->run(kTable);
  if (made) made = add_newer(*opened);
  if (made) database_ = *std::move(opened);
  return made;
}

Result<void> AuditDatabase::write(const std::vector<AuditRecord>& records) {
  auto written = open();
  if (written) written = insert(records);
  if (!written) {
    database_.reset();  // What was begun is undone; the next attempt begins anew.
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

Result<std::vector<AuditRecord>> find_audit(const std::string& path,
                                            const AuditQuestion& question) {
  if (!std::filesystem::exists(path)) {
    return Error{Code::not_found, fmt::format("there is no {}", path)};
  }
  auto database = sqlite::Database::open(path);
  if (!database) return database.error();
  auto current = add_newer(*database);
  if (!current) return current.error();
  sqlite::Statement find(*database, kFind);
  find.bind(1, question.since_ms.value_or(0));
  find.bind(2, question.until_ms.value_or(std::numeric_limits<std::int64_t>::max()));
  find.bind(3, question.who);
  find.bind(4, question.target);
  find.bind(5, question.upstream);
  find.bind(6, question.outcome);
  find.bind(7, question.trace);
  find.bind(8, std::int64_t{question.most});
  find.bind(9, question.event);
  std::vector<AuditRecord> records;
  int stepped = SQLITE_ROW;
  while ((stepped = find.step()) == SQLITE_ROW) records.push_back(row_of(find));
  if (stepped != SQLITE_DONE) {
    return Error{Code::internal, fmt::format("{}: {}", path, ::sqlite3_errmsg(database->get()))};
  }
  return records;
}

}  // namespace patchbay::policy
