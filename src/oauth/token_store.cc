#include "oauth/token_store.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <openssl/crypto.h>
#include <sqlite3.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstring>

#include "core/base64.h"
#include "core/ids.h"
#include "core/text.h"
#include "net/io/fd.h"

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
constexpr std::string_view kKeyFile = "tokens.key";
constexpr mode_t kOthers = S_IRWXG | S_IRWXO;

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

Error fault(std::string_view what, const std::string& path) {
  return {Code::internal, fmt::format("cannot {} {}: {}", what, path, std::strerror(errno))};
}

Result<void> make_key_file(const std::string& path) {
  policy::Sealer::Key key;
  if (::getrandom(key.data(), key.size(), 0) != static_cast<ssize_t>(key.size())) {
    return Error{Code::internal, "there is no randomness to make a key from"};
  }
  const std::string text =
      base64url_encode({reinterpret_cast<const char*>(key.data()), key.size()}) + "\n";
  OPENSSL_cleanse(key.data(), key.size());
  // The file is complete before it gets its name.
  const std::string fresh = fmt::format("{}.{}", path, random_hex(8));
  const net::Fd file(::open(fresh.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600));
  if (!file) return fault("make", fresh);
  const bool written =
      ::write(file.get(), text.data(), text.size()) == static_cast<ssize_t>(text.size()) &&
      ::fsync(file.get()) == 0;
  const bool there = written && (::link(fresh.c_str(), path.c_str()) == 0 || errno == EEXIST);
  auto made = there ? ok() : Result<void>(fault("write", path));
  ::unlink(fresh.c_str());
  return made;
}

}  // namespace

Result<policy::Sealer::Key> parse_key(std::string_view text) {
  const auto raw = base64url_decode(trimmed(text));
  policy::Sealer::Key key;
  if (!raw || raw->size() != key.size()) {
    return Error{Code::invalid_params,
                 "is not a key: 32 random bytes in base64url, as `head -c 32 /dev/urandom | basenc "
                 "--base64url | tr -d =` prints them"};
  }
  std::ranges::copy(*raw, reinterpret_cast<char*>(key.data()));
  return key;
}

Result<policy::Sealer::Key> key_in(const std::string& state) {
  const std::string path = fmt::format("{}/{}", state, kKeyFile);
  if (::access(path.c_str(), F_OK) != 0) {
    auto made = make_key_file(path);
    if (!made) return made.error();
  }
  const net::Fd file(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NOFOLLOW));
  struct stat about{};
  if (!file || ::fstat(file.get(), &about) != 0) return fault("read", path);
  if ((about.st_mode & kOthers) != 0) {
    return Error{Code::invalid_params,
                 fmt::format("others may read the key {}; chmod 600 {}", path, path)};
  }
  std::string text(128, '\0');
  const ssize_t got = ::read(file.get(), text.data(), text.size());
  text.resize(static_cast<std::size_t>(std::max<ssize_t>(got, 0)));
  auto key = parse_key(text);
  if (!key) return Error{key.error().code, fmt::format("{} {}", path, key.error().message)};
  return key;
}

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
