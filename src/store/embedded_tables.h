// The EmbeddedTables are the tables of an EmbeddedStore as an SQLite file. Several processes may
// have it open, for example while one replaces another.
//
// Calls block. Confined to one thread at a time.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/sqlite.h"
#include "crypto/keyring.h"
#include "store/store.h"

namespace patchbay::store {

class EmbeddedTables {
 public:
  // Opens the file, or creates it. A file of an earlier version is migrated; one of a later version
  // is refused. `:memory:` is no file. REQUIRES: the keys outlive this.
  static Result<EmbeddedTables> open(const std::string& path, const policy::Keyring& keys);

  // The number of bytes in use may not exceed this.
  void set_max_size(std::uint64_t bytes) { max_size_ = bytes; }

  // Between these, changes are one transaction.
  Result<void> begin();
  Result<void> commit();
  void roll_back();

  Result<std::optional<Entry>> get(std::string_view table, const std::string& key, Time now);
  Result<Version> put(std::string_view table, const Item& item);
  Result<std::optional<Version>> put_if(std::string_view table, const Item& item, Version expected,
                                        Time now);
  Result<void> erase(std::string_view table, const std::string& key, Time now);
  Result<std::vector<Entry>> scan(std::string_view table, const std::string& after,
                                  std::size_t most, Time now);

  Result<std::int64_t> add(std::string_view table, const std::string& key, std::int64_t delta,
                           Time expires, Time now);

  Result<std::chrono::microseconds> advance(std::string_view table, const std::string& key,
                                            std::chrono::microseconds by, Time now);

  struct TableChange {
    std::string table;
    Change change;
  };
  // The version of the last change of all tables.
  Result<Version> last_version();
  // At most `most` changes after that version, oldest first. What cannot be opened is left out;
  // then `last` tells how far the list goes.
  struct Changes {
    std::vector<TableChange> list;
    Version last = kAbsent;
    bool more = false;
  };
  Result<Changes> changes_after(Version version, std::size_t most);

  // Removes at most `most` entries and counters that have expired; how many there were.
  Result<std::size_t> purge(Time now, std::size_t most);

  // The bytes that entries use.
  std::uint64_t size();

 private:
  EmbeddedTables(sqlite::Database database, const policy::Keyring& keys)
      : database_(std::move(database)), keys_(&keys) {}

  std::int64_t number(const char* sql);
  Result<Version> next_version();
  Error failure() const;

  sqlite::Database database_;
  const policy::Keyring* keys_;
  std::uint64_t max_size_ = UINT64_MAX;
};

}  // namespace patchbay::store
