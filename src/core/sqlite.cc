#include "core/sqlite.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sqlite3.h>
#include <unistd.h>

namespace patchbay::sqlite {
namespace {

constexpr int kTimeout = 5'000;  // Milliseconds, while another process writes.

Error failure(sqlite3* database) {
  return {Code::internal, database ? ::sqlite3_errmsg(database) : "there is no memory"};
}

std::int64_t format_of(const Database& database) {
  Statement version(database, "PRAGMA user_version");
  return version.step() == SQLITE_ROW ? version.number(0) : 0;
}

}  // namespace

void Database::Close::operator()(sqlite3* database) const { ::sqlite3_close(database); }

Result<Database> Database::open(const std::string& path) {
  // Created here, so that no other user can ever open it.
  if (path != ":memory:") ::close(::open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600));
  sqlite3* raw = nullptr;
  const int opened =
      ::sqlite3_open_v2(path.c_str(), &raw,
                        SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE | SQLITE_OPEN_NOMUTEX, nullptr);
  Database database;
  database.database_.reset(raw);
  if (opened != SQLITE_OK) {
    return Error{Code::internal, fmt::format("cannot open {}: {}", path, failure(raw).message)};
  }
  ::sqlite3_busy_timeout(raw, kTimeout);
  return database;
}

Result<Database> Database::open_format(const std::string& path, int newest) {
  auto database = open(path);
  if (!database) return database;
  const auto format = format_of(*database);
  if (format <= newest) return database;
  return Error{
      Code::internal,
      fmt::format("{} has format {} of a later version of Patchbay, and this version reads "
                  "formats up to {}: install the later version, or move the file away",
                  path, format, newest)};
}

Result<void> Database::set_format(int format) {
  if (format_of(*this) == format) return ok();
  return run(fmt::format("PRAGMA user_version = {}", format).c_str());
}

Result<void> Database::run(const char* sql) {
  if (::sqlite3_exec(database_.get(), sql, nullptr, nullptr, nullptr) == SQLITE_OK) return ok();
  return failure(database_.get());
}

Statement::Statement(const Database& database, const char* sql) : database_(database) {
  ::sqlite3_prepare_v2(database.get(), sql, -1, &statement_, nullptr);
}

Statement::~Statement() { ::sqlite3_finalize(statement_); }

void Statement::bind(int index, std::int64_t value) {
  ::sqlite3_bind_int64(statement_, index, value);
}

void Statement::bind(int index, std::string_view text) {
  ::sqlite3_bind_text(statement_, index, text.data(), static_cast<int>(text.size()), SQLITE_STATIC);
}

int Statement::step() { return ::sqlite3_step(statement_); }

Result<void> Statement::run() {
  const bool done = step() == SQLITE_DONE;
  Result<void> ran = done ? ok() : Result<void>(failure(database_.get()));
  ::sqlite3_reset(statement_);
  return ran;
}

std::string Statement::text(int column) const {
  const auto* const begin =
      reinterpret_cast<const char*>(::sqlite3_column_text(statement_, column));
  if (!begin) return "";
  return {begin, static_cast<std::size_t>(::sqlite3_column_bytes(statement_, column))};
}

std::int64_t Statement::number(int column) const {
  return ::sqlite3_column_int64(statement_, column);
}

}  // namespace patchbay::sqlite
