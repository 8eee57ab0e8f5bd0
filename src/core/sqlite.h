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
  // Opens the file. If it does not exist, it is created, readable by its owner only. `:memory:` is
  // no file.
  static Result<Database> open(const std::string& path);

  // The same for a file of ours whose format has a number. Code::internal, with a remedy, if a
  // later version of the program has written a format that this version does not know.
  static Result<Database> open_format(const std::string& path, int newest);
  // Writes that number, if the file has another one. Files of version 0.1 have 0.
  Result<void> set_format(int format);

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
