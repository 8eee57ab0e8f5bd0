#include "osquery/virtual_table.h"

#include <fmt/format.h>
#include <sqlite3.h>

#include "osquery/text.h"

namespace patchbay::osquery {
namespace {

// The client data of a module: valid as long as the database.
struct Module {
  const Table& table;
  ScanContext& context;
};

struct Connected : sqlite3_vtab {
  const Module* module = nullptr;
};

struct Cursor : sqlite3_vtab_cursor {
  std::optional<Scan> scan;
  std::size_t row = 0;
};

const Module& module_of(sqlite3_vtab* vtab) { return *static_cast<Connected*>(vtab)->module; }

std::string declaration(const Table& table) {
  std::string sql = "CREATE TABLE x(";
  for (const auto& column : table.columns) {
    if (!sql.ends_with('(')) sql += ", ";
    sql += fmt::format("\"{}\" {}", column.name, type_name(column.type));
  }
  return sql + ")";
}

int connect(sqlite3* database, void* client, int, const char* const*, sqlite3_vtab** out, char**) {
  auto* const module = static_cast<const Module*>(client);
  module->context.declaring = true;
  const int code = sqlite3_declare_vtab(database, declaration(module->table).c_str());
  module->context.declaring = false;
  if (code != SQLITE_OK) return code;
  auto* const connected = new Connected{};
  connected->module = module;
  *out = connected;
  return SQLITE_OK;
}

int disconnect(sqlite3_vtab* vtab) {
  delete static_cast<Connected*>(vtab);
  return SQLITE_OK;
}

// What a plan passes from planning to scanning, as the text that SQLite carries: the columns that
// are used, then for each value the column and its operator.
struct Plan {
  std::uint64_t used = 0;
  std::string values;  // `=` or `~`, then the column as a character.

  std::string text() const { return fmt::format("{:x}{}", used, values); }

  static Plan read(std::string_view text) {
    const auto end = std::min(text.find_first_of("=~"), text.size());
    return {number<std::uint64_t>(text.substr(0, end), 16).value_or(~std::uint64_t{0}),
            std::string(text.substr(end))};
  }
};

constexpr char kFirstColumn = 'A';  // Of a plan; no table has so many that it leaves ASCII.

constexpr double kPointed = 10;     // A scan that a key narrows.
constexpr double kWhole = 10'000;   // One that it does not.
constexpr double kHopeless = 1e12;  // One that can only fail.

// Selects what to pass to the table: the first equality of each key, and a LIKE where a path is
// required. SQLite still compares by itself.
int best_index(sqlite3_vtab* vtab, sqlite3_index_info* info) {
  const Table& table = module_of(vtab).table;
  Plan plan{info->colUsed, ""};
  bool needs = false;
  for (const auto& column : table.columns) needs = needs || column.use == Use::required;
  bool narrowed = false;
  bool could_be = false;  // With another order of the tables.
  int next = 1;
  for (int i = 0; i < info->nConstraint; ++i) {
    const auto& one = info->aConstraint[i];
    if (one.iColumn < 0) continue;
    const Use use = table.columns[static_cast<std::size_t>(one.iColumn)].use;
    const bool equal = one.op == SQLITE_INDEX_CONSTRAINT_EQ && use != Use::plain;
    const bool like = one.op == SQLITE_INDEX_CONSTRAINT_LIKE && use == Use::required;
    const char mark = static_cast<char>(kFirstColumn + one.iColumn);
    if ((!equal && !like) || plan.values.find(mark) != std::string::npos) continue;
    if (!one.usable) {
      could_be = true;
      continue;
    }
    info->aConstraintUsage[i].argvIndex = next++;
    plan.values += equal ? '=' : '~';
    plan.values += mark;
    narrowed = true;
  }
  if (needs && !narrowed && could_be) return SQLITE_CONSTRAINT;
  info->estimatedCost = narrowed ? kPointed : needs ? kHopeless : kWhole;
  info->estimatedRows = narrowed ? 1 : 1000;
  info->idxStr = sqlite3_mprintf("%s", plan.text().c_str());
  info->needToFreeIdxStr = 1;
  return info->idxStr ? SQLITE_OK : SQLITE_NOMEM;
}

int open(sqlite3_vtab*, sqlite3_vtab_cursor** out) {
  *out = new Cursor{};
  return SQLITE_OK;
}

int close(sqlite3_vtab_cursor* cursor) {
  delete static_cast<Cursor*>(cursor);
  return SQLITE_OK;
}

// A value as the text that equals it in the column: 1.0 is 1 where numbers are compared.
std::string as_text(sqlite3_value* value, Type type) {
  const bool numeric = type != Type::text && sqlite3_value_numeric_type(value) == SQLITE_FLOAT;
  if (numeric && sqlite3_value_double(value) == static_cast<double>(sqlite3_value_int64(value))) {
    return std::to_string(sqlite3_value_int64(value));
  }
  const auto* const text = reinterpret_cast<const char*>(sqlite3_value_text(value));
  return text ? std::string(text, static_cast<std::size_t>(sqlite3_value_bytes(value))) : "";
}

int filter(sqlite3_vtab_cursor* base, int, const char* text, int count, sqlite3_value** values) {
  auto* const cursor = static_cast<Cursor*>(base);
  const auto& [table, context] = module_of(base->pVtab);
  const Plan plan = Plan::read(text);
  std::vector<Given> given;
  for (int i = 0; i < count; ++i) {
    const auto at = static_cast<std::size_t>(i) * 2;
    const int column = plan.values[at + 1] - kFirstColumn;
    const Type type = table.columns[static_cast<std::size_t>(column)].type;
    given.push_back({column, plan.values[at] == '~', as_text(values[i], type)});
  }
  cursor->scan.emplace(table, context.machine, plan.used, std::move(given), context.most_bytes);
  cursor->row = 0;
  auto read = cursor->scan->read();
  if (read) return SQLITE_OK;
  context.failure = read.error();
  context.failure->message = fmt::format("{}: {}", table.name, context.failure->message);
  return SQLITE_ERROR;
}

int next(sqlite3_vtab_cursor* cursor) {
  ++static_cast<Cursor*>(cursor)->row;
  return SQLITE_OK;
}

int eof(sqlite3_vtab_cursor* base) {
  const auto* const cursor = static_cast<Cursor*>(base);
  return !cursor->scan || cursor->row >= cursor->scan->size();
}

// A column that a table has not set is an empty text, or null for numbers.
int column(sqlite3_vtab_cursor* base, sqlite3_context* to, int index) {
  const auto* const cursor = static_cast<Cursor*>(base);
  const auto& cell = cursor->scan->cell(cursor->row, index);
  const Type type = module_of(base->pVtab).table.columns[static_cast<std::size_t>(index)].type;
  if (cell.kind == Scan::Cell::Kind::number) {
    sqlite3_result_int64(to, cell.value);
  } else if (cell.kind == Scan::Cell::Kind::text || type == Type::text) {
    const auto text = cursor->scan->text(cell);
    sqlite3_result_text(to, text.data(), static_cast<int>(text.size()), SQLITE_TRANSIENT);
  } else {
    sqlite3_result_null(to);
  }
  return SQLITE_OK;
}

int rowid(sqlite3_vtab_cursor* cursor, sqlite3_int64* out) {
  *out = static_cast<sqlite3_int64>(static_cast<Cursor*>(cursor)->row);
  return SQLITE_OK;
}

// Without xCreate the tables exist by themselves, and no others of their kind can be made.
constexpr sqlite3_module make_methods() {
  sqlite3_module methods{};
  methods.xConnect = connect;
  methods.xBestIndex = best_index;
  methods.xDisconnect = disconnect;
  methods.xOpen = open;
  methods.xClose = close;
  methods.xFilter = filter;
  methods.xNext = next;
  methods.xEof = eof;
  methods.xColumn = column;
  methods.xRowid = rowid;
  return methods;
}

constexpr sqlite3_module kMethods = make_methods();

}  // namespace

Result<void> add_tables(sqlite3* database, ScanContext& context) {
  for (const Table* const table : tables()) {
    const int code = sqlite3_create_module_v2(
        database, std::string(table->name).c_str(), &kMethods, new Module{*table, context},
        [](void* module) { delete static_cast<Module*>(module); });
    if (code != SQLITE_OK) {
      return Error{Code::internal, fmt::format("Internal error: SQLite refuses {}", table->name)};
    }
  }
  return ok();
}

}  // namespace patchbay::osquery
