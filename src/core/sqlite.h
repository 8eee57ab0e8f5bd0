// SQLite in a few words: a Database is a file that is open, a Statement one question to it. Calls
// block, so they belong to threads that may.
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
  // Opens the file, which is made if it is not there and is then its owner's alone. `:memory:` is
  // none.
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

  // Places count from 1. The text must stay until the statement has run.
  void bind(int index, std::int64_t value);
  void bind(int index, std::string_view text);

  // SQLITE_ROW, SQLITE_DONE, or what went wrong.
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
