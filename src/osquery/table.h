// A Table is one built-in table as data: its name and columns as osquery specifies them, and a
// function that reads the machine. A Scan is one reading of it: what the query needs, and the rows
// that are found.
//
// A Scan is confined to the thread of its query; tables have no state.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/result.h"

namespace patchbay::osquery {

enum class Type : std::uint8_t { text, integer, bigint };
std::string_view type_name(Type type);  // In SQL.

// What a table does with `column = value` in a query.
enum class Use : std::uint8_t {
  plain,     // Nothing: SQLite compares the values.
  key,       // Reads only matching data.
  required,  // The same, and a query must constrain one of the table's required columns.
};

struct Column {
  std::string_view name;
  Type type;
  Use use = Use::plain;
};

class Scan;

struct Table {
  std::string_view name;
  std::string_view meaning;
  std::span<const Column> columns;
  Result<void> (*read)(Scan& scan);
};

// All of them, in the order of their names.
std::span<const Table* const> tables();
const Table* find_table(std::string_view name);

// Where the tables read the machine's data.
struct Machine {
  std::string root;  // The prefix of every path; empty except in tests.
  std::vector<std::string> file_roots;
  std::uint64_t hash_size = 0;
  std::function<bool(std::string_view table)> allowed = [](std::string_view) { return true; };

  std::string path(std::string_view absolute) const { return root + std::string(absolute); }
};

// A comparison of the query that the table may use to read less.
struct Given {
  int column;
  bool like;  // A LIKE pattern; otherwise equality.
  std::string text;
};

class Scan {
 public:
  struct Cell {
    enum class Kind : std::uint8_t { none, number, text } kind = Kind::none;
    std::uint32_t size = 0;  // Of a text...
    std::int64_t value = 0;  // ...which begins here in the memory of the scan.
  };

  // REQUIRES: table and machine outlive the scan.
  Scan(const Table& table, const Machine& machine, std::uint64_t used, std::vector<Given> given,
       std::size_t most_bytes)
      : table_(table),
        machine_(machine),
        used_(used),
        given_(std::move(given)),
        most_bytes_(most_bytes) {}

  // For tables.

  const Machine& machine() const { return machine_; }

  // True if the query uses one of these columns; the others need not be set.
  template <class... Columns>
  bool needs(Columns... column) const {
    return ((used_ >> column & 1) || ...);
  }

  // The value that the query requires of a column.
  const Given* given(int column) const;
  std::optional<std::int64_t> given_number(int column) const;

  // Begins a row. False if the limit is reached: then the table returns at once.
  bool row();
  void set(int column, std::int64_t value);
  void set(int column, std::string_view text);

  // For the query.

  Result<void> read();
  std::size_t size() const { return cells_.size() / table_.columns.size(); }
  const Cell& cell(std::size_t row, int column) const {
    return cells_[row * table_.columns.size() + static_cast<std::size_t>(column)];
  }
  std::string_view text(const Cell& cell) const {
    return std::string_view(texts_).substr(static_cast<std::size_t>(cell.value), cell.size);
  }

 private:
  Cell& cell(int column) {
    return cells_[cells_.size() - table_.columns.size() + static_cast<std::size_t>(column)];
  }

  const Table& table_;
  const Machine& machine_;
  const std::uint64_t used_;
  const std::vector<Given> given_;
  const std::size_t most_bytes_;
  std::vector<Cell> cells_;
  std::string texts_;
  std::optional<Error> failure_;
};

}  // namespace patchbay::osquery
