// A small wrapper of SQLite: a Database is an open file, a Statement one query. Calls block, so
// they belong to threads that may block.
//
// Confined to one thread at a time.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "core/result.h"

struct sqlite3;
struct sqlite3_stmt;

namespace patchbay::sqlite {

class Database {
 public:
  // Opens the file, which is created, readable by its owner only, if it does not exist. `:memory:`
  // is no file.
  static Result<Database> open(const std::string& path);

  Result<void> run(const char* sql);
  sqlite3* get() const { return database_.get(); }

 private:
  struct Close {
    void operator()(sqlite3* database) const;
  };
  std::unique_ptr<sqlite3, Close> database_;
};

// From prepare to finalize. A statement that cannot be prepared fails when it is run.
class Statement {
 public:
  Statement(const Database& database, const char* sql);
  Statement(const Statement&) = delete;
  Statement& operator=(const Statement&) = delete;
  ~Statement();

  // Indexes count from 1. The text must stay valid until the statement has run.
  void bind(int index, std::int64_t value);
  void bind(int index, std::string_view text);

  // SQLITE_ROW, SQLITE_DONE, or an error code.
  int step();
  // Runs a statement that yields no rows; it can be bound and run again.
  Result<void> run();

  // Columns count from 0.
  std::string text(int column) const;
  std::int64_t number(int column) const;

 private:
  const Database& database_;
  sqlite3_stmt* statement_ = nullptr;
};

}  // namespace patchbay::sqlite
