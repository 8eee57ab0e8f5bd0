#include "osquery/database.h"

#include <fmt/format.h>
#include <sqlite3.h>

#include <array>

#include "osquery/text.h"

namespace patchbay::osquery {
namespace {

struct Bound {
  int what;
  int most;
};
// Limits on the shape of a query.
constexpr std::array kBounds{
    Bound{SQLITE_LIMIT_COLUMN, 200},
    Bound{SQLITE_LIMIT_EXPR_DEPTH, 100},
    Bound{SQLITE_LIMIT_COMPOUND_SELECT, 20},
    Bound{SQLITE_LIMIT_VDBE_OP, 25'000},
    Bound{SQLITE_LIMIT_FUNCTION_ARG, 32},
    Bound{SQLITE_LIMIT_ATTACHED, 0},
    Bound{SQLITE_LIMIT_LIKE_PATTERN_LENGTH, 1000},
    Bound{SQLITE_LIMIT_VARIABLE_NUMBER, 0},
    Bound{SQLITE_LIMIT_TRIGGER_DEPTH, 0},
    Bound{SQLITE_LIMIT_WORKER_THREADS, 0},
};

// The SQLite functions that only compute. All others are refused: they load code (load_extension),
// reveal or accept addresses (fts3_tokenizer), write to a log, reveal how SQLite was built, or
// belong to tables that do not exist here.
constexpr std::string_view kFunctions =
    // Values and texts.
    " abs char coalesce concat concat_ws format glob hex if ifnull iif instr length like likelihood"
    " likely lower ltrim max min nullif octet_length printf quote random randomblob replace round"
    " rtrim sign soundex sqlite_version substr substring trim typeof unhex unicode unlikely upper"
    " zeroblob"
    // Groups and windows of rows.
    " avg count cume_dist dense_rank first_value group_concat lag last_value lead nth_value ntile"
    " percent_rank rank row_number string_agg sum total"
    // Dates.
    " current_date current_time current_timestamp date datetime julianday strftime time timediff"
    " unixepoch"
    // Mathematics.
    " acos acosh asin asinh atan atan2 atanh ceil ceiling cos cosh degrees exp floor ln log log10"
    " log2 mod pi pow power radians sin sinh sqrt tan tanh trunc"
    // JSON.
    " -> ->> json json_array json_array_length json_extract json_group_array json_group_object"
    " json_insert json_object json_patch json_quote json_remove json_replace json_set json_type"
    " json_valid ";

bool only_computes(std::string_view function) {
  return !function.contains(' ') && kFunctions.contains(fmt::format(" {} ", function));
}

struct Switch {
  int what;
  int on;
};
constexpr std::array kSwitches{
    Switch{SQLITE_DBCONFIG_DEFENSIVE, 1},
    Switch{SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0},
    Switch{SQLITE_DBCONFIG_ENABLE_LOAD_EXTENSION, 0},
    Switch{SQLITE_DBCONFIG_ENABLE_FTS3_TOKENIZER, 0},
    Switch{SQLITE_DBCONFIG_ENABLE_TRIGGER, 0},
    Switch{SQLITE_DBCONFIG_ENABLE_VIEW, 0},
    Switch{SQLITE_DBCONFIG_WRITABLE_SCHEMA, 0},
};

using Prepared = std::unique_ptr<sqlite3_stmt, int (*)(sqlite3_stmt*)>;

std::string_view text_of(sqlite3_stmt* statement, int column) {
  const auto* const text = reinterpret_cast<const char*>(sqlite3_column_text(statement, column));
  if (!text) return {};
  return {text, static_cast<std::size_t>(sqlite3_column_bytes(statement, column))};
}

std::vector<std::string> column_names(sqlite3_stmt* statement) {
  std::vector<std::string> names;
  for (int i = 0; i < sqlite3_column_count(statement); ++i) {
    const char* const name = sqlite3_column_name(statement, i);
    names.emplace_back(name ? name : "");
  }
  make_unique(names);
  return names;
}

}  // namespace

Result<std::unique_ptr<Database>> Database::open(const Settings& settings,
                                                 const TablePolicy& policy,
                                                 const Machine& machine) {
  std::unique_ptr<Database> database(new Database(settings, policy, machine));
  auto prepared = database->prepare_connection();
  if (!prepared) return prepared.error();
  return database;
}

Database::Database(const Settings& settings, const TablePolicy& policy, const Machine& machine)
    : settings_(settings), policy_(policy), context_{machine, settings.memory.value / 2} {}

Database::~Database() { sqlite3_close_v2(connection_); }

Result<void> Database::prepare_connection() {
  // A sort or a join that needs more gets an error from SQLite, before the process reaches its
  // limit.
  sqlite3_hard_heap_limit64(static_cast<sqlite3_int64>(settings_.memory.value));
  constexpr int kFlags = SQLITE_OPEN_READWRITE | SQLITE_OPEN_MEMORY | SQLITE_OPEN_NOMUTEX;
  if (sqlite3_open_v2(":memory:", &connection_, kFlags, nullptr) != SQLITE_OK) {
    return Error{Code::internal, "Internal error: SQLite cannot be opened"};
  }
  for (const auto& [what, on] : kSwitches) {
    if (sqlite3_db_config(connection_, what, on, nullptr) != SQLITE_OK) {
      return Error{Code::internal, "Internal error: SQLite refused its settings"};
    }
  }
  sqlite3_exec(connection_, "PRAGMA temp_store = MEMORY", nullptr, nullptr, nullptr);
  for (const auto& [what, most] : kBounds) sqlite3_limit(connection_, what, most);
  const auto bytes = static_cast<int>(settings_.bytes.value);
  sqlite3_limit(connection_, SQLITE_LIMIT_LENGTH, bytes);
  sqlite3_limit(connection_, SQLITE_LIMIT_SQL_LENGTH, static_cast<int>(settings_.statement.value));
  sqlite3_drop_modules(connection_, nullptr);  // Those built into SQLite, such as json_each.
  auto added = add_tables(connection_, context_);
  if (!added) return added;
  sqlite3_set_authorizer(connection_, authorize, this);
  return ok();
}

// SQLite calls this for everything a statement would do, before it runs, whatever aliases it uses.
int Database::authorize(void* self, int action, const char* first, const char* second, const char*,
                        const char*) {
  auto& database = *static_cast<Database*>(self);
  if (database.context_.declaring) return SQLITE_OK;
  const std::string_view subject = first ? first : "";
  switch (action) {
    case SQLITE_SELECT:
    case SQLITE_RECURSIVE:
      return SQLITE_OK;
    case SQLITE_READ: {
      const std::string table = ascii_lower(subject);
      // A name without a column may be that of a query in WITH: SQLite also asks about its
      // contents.
      const bool own = table.starts_with("sqlite_") || table.starts_with("pragma_");
      const bool query = !own && !find_table(table) && second && *second == '\0';
      if (query || (find_table(table) && database.policy_.allows(table))) return SQLITE_OK;
      database.denied_ = fmt::format("the table '{}' is not allowed", table);
      return SQLITE_DENY;
    }
    case SQLITE_FUNCTION: {
      const std::string function = ascii_lower(second ? second : "");
      if (only_computes(function)) return SQLITE_OK;
      database.denied_ = fmt::format("the function '{}' is not allowed", function);
      return SQLITE_DENY;
    }
    default:
      database.denied_ = "only reading is allowed";
      return SQLITE_DENY;
  }
}

Result<std::string> Database::run(const std::string& sql, Format format) {
  context_.failure.reset();
  denied_.clear();
  sqlite3_stmt* made = nullptr;
  const char* rest = nullptr;
  const int code =
      sqlite3_prepare_v2(connection_, sql.data(), static_cast<int>(sql.size()), &made, &rest);
  const Prepared statement(made, sqlite3_finalize);
  if (code != SQLITE_OK) return failure(sqlite3_errmsg(connection_));
  const auto read = static_cast<std::size_t>(rest - sql.data());
  if (!trimmed(std::string_view(sql).substr(read)).empty()) {
    return Error{Code::invalid_params, "only one statement is accepted at a time"};
  }
  if (!made || !sqlite3_stmt_readonly(made)) {
    return Error{Code::forbidden, "only reading is allowed"};
  }
  // The program of a statement reveals memory addresses.
  if (sqlite3_stmt_isexplain(made) == 1) {
    return Error{Code::forbidden, "EXPLAIN is not allowed; EXPLAIN QUERY PLAN is"};
  }
  RowWriter rows(format);
  auto stepped = step_all(made, rows);
  if (!stepped) return stepped.error();
  return rows.finish();
}

Result<void> Database::step_all(sqlite3_stmt* statement, RowWriter& rows) {
  const auto names = column_names(statement);
  for (;;) {
    const int code = sqlite3_step(statement);
    if (code == SQLITE_DONE) return ok();
    if (code != SQLITE_ROW) return failure(sqlite3_errmsg(connection_));
    if (rows.rows() >= static_cast<std::size_t>(settings_.rows)) return too_many_rows(settings_);
    rows.begin_row();
    for (std::size_t i = 0; i < names.size(); ++i) {
      rows.value(names[i], text_of(statement, static_cast<int>(i)));
    }
    rows.end_row();
    if (rows.size() > settings_.bytes.value) return too_many_bytes(settings_);
  }
}

// Why the running query has failed: our own reasons take precedence over SQLite's.
Error Database::failure(std::string_view otherwise) const {
  if (context_.failure) return *context_.failure;
  if (!denied_.empty()) return {Code::forbidden, denied_};
  const int code = sqlite3_errcode(connection_);
  if (code == SQLITE_NOMEM || code == SQLITE_TOOBIG) return too_much_memory(settings_);
  return {Code::invalid_params, std::string(otherwise)};
}

}  // namespace patchbay::osquery
