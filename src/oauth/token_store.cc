#include "oauth/token_store.h"

#include <fmt/format.h>
#include <sqlite3.h>

#include <chrono>

namespace patchbay::oauth {
namespace {

constexpr const char* kTables =
    "CREATE TABLE IF NOT EXISTS tokens (upstream TEXT NOT NULL, principal TEXT NOT NULL, "
    "issuer TEXT NOT NULL, sealed TEXT NOT NULL, changed INTEGER NOT NULL, "
    "PRIMARY KEY (upstream, principal, issuer)) WITHOUT ROWID;"
    "CREATE TABLE IF NOT EXISTS clients (upstream TEXT NOT NULL, principal TEXT NOT NULL, "
    "issuer TEXT NOT NULL, sealed TEXT NOT NULL, changed INTEGER NOT NULL, "
    "PRIMARY KEY (upstream, principal, issuer)) WITHOUT ROWID;"
    // Deleted values must not remain in the file.
    "PRAGMA secure_delete = ON;";

constexpr int kTokensFormat = 1;

// A value that was moved to another row cannot be decrypted.
std::string context_of(bool token, const TokenStore::Key& key) {
  const auto part = [](std::string_view text) { return fmt::format("{}:{}", text.size(), text); };
  return fmt::format("{} {} {} {}", token ? "token" : "client", part(key.upstream),
                     part(key.principal), part(key.issuer));
}

void bind_key(sqlite::Statement& statement, const TokenStore::Key& key) {
  statement.bind(1, std::string_view(key.upstream));
  statement.bind(2, std::string_view(key.principal));
  statement.bind(3, std::string_view(key.issuer));
}

}  // namespace

Result<std::unique_ptr<TokenStore>> TokenStore::open(const std::string& path,
                                                     policy::Sealer sealer) {
  auto database = sqlite::Database::open_format(path, kTokensFormat);
  if (!database) return database.error();
  auto made = database->run(kTables);
  if (made) made = database->set_format(kTokensFormat);
  if (!made) {
    return Error{Code::internal, fmt::format("cannot use {}: {}", path, made.error().message)};
  }
  return std::unique_ptr<TokenStore>(new TokenStore(*std::move(database), sealer));
}

Result<void> TokenStore::put(bool token, const Key& key, std::string_view value) {
  const auto now = std::chrono::system_clock::now().time_since_epoch();
  sqlite::Statement insert(
      database_,
      token ? "INSERT OR REPLACE INTO tokens (upstream, principal, issuer, sealed, changed) "
              "VALUES (?, ?, ?, ?, ?)"
            : "INSERT OR REPLACE INTO clients (upstream, principal, issuer, sealed, changed) "
              "VALUES (?, ?, ?, ?, ?)");
  const std::string sealed = sealer_.seal(value, context_of(token, key));
  bind_key(insert, key);
  insert.bind(4, std::string_view(sealed));
  insert.bind(5, std::chrono::duration_cast<std::chrono::milliseconds>(now).count());
  return insert.run();
}

Result<void> TokenStore::remove_token(const Key& key) {
  sqlite::Statement statement(
      database_, "DELETE FROM tokens WHERE upstream = ? AND principal = ? AND issuer = ?");
  bind_key(statement, key);
  return statement.run();
}

Result<std::vector<TokenStore::Row>> TokenStore::read(bool tokens, const std::string& upstream,
                                                      const std::string& principal) {
  sqlite::Statement select(database_,
                           tokens ? "SELECT issuer, sealed FROM tokens WHERE upstream = ? AND "
                                    "principal = ? ORDER BY changed DESC"
                                  : "SELECT issuer, sealed FROM clients WHERE upstream = ? AND "
                                    "principal = ? ORDER BY changed DESC");
  select.bind(1, std::string_view(upstream));
  select.bind(2, std::string_view(principal));
  std::vector<Row> rows;
  int stepped = SQLITE_ROW;
  while ((stepped = select.step()) == SQLITE_ROW) {
    Row row{{upstream, principal, select.text(0)}, {}};
    auto value = sealer_.open(select.text(1), context_of(tokens, row.key));
    if (!value) {
      ++unreadable_;
      continue;
    }
    row.value = *std::move(value);
    rows.push_back(std::move(row));
  }
  if (stepped == SQLITE_DONE) return rows;
  return Error{Code::internal,
               fmt::format("cannot read the tokens: {}", ::sqlite3_errmsg(database_.get()))};
}

Result<std::vector<TokenStore::Row>> TokenStore::tokens_of(const std::string& upstream,
                                                           const std::string& principal) {
  return read(true, upstream, principal);
}

Result<std::vector<TokenStore::Row>> TokenStore::clients_of(const std::string& upstream) {
  return read(false, upstream, "");
}

}  // namespace patchbay::oauth
