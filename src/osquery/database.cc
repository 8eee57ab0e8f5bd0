#include "osquery/database.h"

#include <fmt/format.h>
#include <sqlite3.h>

#include <array>

#include "osquery/text.h"

namespace patchbay::osquery {
namespace {

constexpr int kStepsBetweenLooks = 1000;  // Of SQLite's machine; a fraction of a millisecond.

struct Bound {
  int what;
  int most;
};
// What keeps one query from being a burden by its shape alone.
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
    : settings_(settings), policy_(policy), context_{machine, settings.memory.value / 2} {
  context_.ended = [this] { return ended(); };
}

Database::~Database() { sqlite3_close_v2(connection_); }

Result<void> Database::prepare_connection() {
  // For all of SQLite in this process: a sort or a join may not take more.
  sqlite3_hard_heap_limit64(static_cast<sqlite3_int64>(settings_.memory.value));
  constexpr int kFlags = SQLITE_OPEN_READWRITE | SQLITE_OPEN_MEMORY | SQLITE_OPEN_NOMUTEX;
  if (sqlite3_open_v2(":memory:", &connection_, kFlags, nullptr) != SQLITE_OK) {
    return Error{Code::internal, "Internal error: SQLite does not open"};
  }
  sqlite3_db_config(connection_, SQLITE_DBCONFIG_DEFENSIVE, 1, nullptr);
  sqlite3_db_config(connection_, SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0, nullptr);
  sqlite3_db_config(connection_, SQLITE_DBCONFIG_ENABLE_LOAD_EXTENSION, 0, nullptr);
  sqlite3_exec(connection_, "PRAGMA temp_store = MEMORY", nullptr, nullptr, nullptr);
  for (const auto& [what, most] : kBounds) sqlite3_limit(connection_, what, most);
  const auto bytes = static_cast<int>(settings_.bytes.value);
  sqlite3_limit(connection_, SQLITE_LIMIT_LENGTH, bytes);
  sqlite3_limit(connection_, SQLITE_LIMIT_SQL_LENGTH, static_cast<int>(settings_.statement.value));
  auto added = add_tables(connection_, context_);
  if (!added) return added;
  sqlite3_set_authorizer(connection_, authorize, this);
  const auto look = [](void* self) { return static_cast<Database*>(self)->ended() ? 1 : 0; };
  sqlite3_progress_handler(connection_, kStepsBetweenLooks, look, this);
  return ok();
}

// SQLite asks this about everything a statement would do, before it runs, whatever it is called and
// however it is wrapped.
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
      // A name without a column may be that of a query in WITH: SQLite asks about what is in it.
      const bool query = !find_table(table) && second && *second == '\0';
      if (query || (find_table(table) && database.policy_.allows(table))) return SQLITE_OK;
      database.denied_ = fmt::format("the table '{}' is not allowed", table);
      return SQLITE_DENY;
    }
    case SQLITE_FUNCTION:
      if (ascii_lower(second ? second : "") != "load_extension") return SQLITE_OK;
      database.denied_ = "extensions are not allowed";
      return SQLITE_DENY;
    default:
      database.denied_ = "only reading is allowed";
      return SQLITE_DENY;
  }
}

const Error* Database::ended() {
  if (ended_ || !running_) return ended_ ? &*ended_ : nullptr;
  if (running_->cancelled.load(std::memory_order_relaxed)) {
    ended_ = Error{Code::cancelled, "cancelled"};
  } else if (Clock::now() >= running_->deadline) {
    ended_ = Error{Code::timeout, fmt::format("the query was cut: it took longer than {}",
                                              config::print(settings_.timeout))};
  }
  return ended_ ? &*ended_ : nullptr;
}

Result<std::string> Database::run(const Query& query) {
  running_ = &query;
  ended_.reset();
  context_.failure.reset();
  denied_.clear();
  sqlite3_stmt* made = nullptr;
  const char* rest = nullptr;
  const int code = sqlite3_prepare_v2(connection_, query.sql.data(),
                                      static_cast<int>(query.sql.size()), &made, &rest);
  const Prepared statement(made, sqlite3_finalize);
  if (code != SQLITE_OK) return failure(sqlite3_errmsg(connection_));
  const auto read = static_cast<std::size_t>(rest - query.sql.data());
  if (!trimmed(std::string_view(query.sql).substr(read)).empty()) {
    return Error{Code::invalid_params, "only one statement is accepted at a time"};
  }
  if (!made || !sqlite3_stmt_readonly(made)) {
    return Error{Code::forbidden, "only reading is allowed"};
  }
  RowWriter rows(query.format);
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
    if (rows.rows() >= static_cast<std::size_t>(settings_.rows)) {
      return Error{Code::too_large, fmt::format("the query was cut: it yields more than {} rows; "
                                                "narrow it with WHERE or LIMIT",
                                                settings_.rows)};
    }
    rows.begin_row();
    for (std::size_t i = 0; i < names.size(); ++i) {
      rows.value(names[i], text_of(statement, static_cast<int>(i)));
    }
    rows.end_row();
    if (rows.size() > settings_.bytes.value) {
      return Error{Code::too_large, fmt::format("the query was cut: its answer is larger than {}; "
                                                "name fewer columns, or narrow it",
                                                config::print(settings_.bytes))};
    }
  }
}

// Why the running query has failed: our own reasons stand above SQLite's.
Error Database::failure(std::string_view otherwise) const {
  if (ended_) return *ended_;
  if (context_.failure) return *context_.failure;
  if (!denied_.empty()) return {Code::forbidden, denied_};
  const int code = sqlite3_errcode(connection_);
  if (code == SQLITE_NOMEM || code == SQLITE_TOOBIG) {
    return {Code::too_large, fmt::format("the query was cut: it needs more memory than it may have "
                                         "({})",
                                         config::print(settings_.memory))};
  }
  return {Code::invalid_params, std::string(otherwise)};
}

}  // namespace patchbay::osquery
