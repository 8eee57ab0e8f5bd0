#include "policy/pins/store.h"

#include <fmt/format.h>
#include <sqlite3.h>
#include <sys/stat.h>

#include <filesystem>

#include "core/discard.h"
#include "observe/log.h"

namespace patchbay::policy {
namespace {

constexpr const char* kTable =
    "CREATE TABLE IF NOT EXISTS pins ("
    "upstream TEXT NOT NULL, tool TEXT NOT NULL, definition TEXT NOT NULL, "
    "changed TEXT NOT NULL DEFAULT '', first_seen INTEGER NOT NULL, "
    "changed_at INTEGER NOT NULL DEFAULT 0, PRIMARY KEY (upstream, tool)) WITHOUT ROWID";
constexpr int kPinsFormat = 1;

}  // namespace

Result<std::unique_ptr<PinStore>> PinStore::open(const std::string& state) {
  std::error_code fault;
  if (std::filesystem::create_directories(state, fault)) ::chmod(state.c_str(), 0700);
  if (fault) {
    return Error{Code::internal,
                 fmt::format("cannot create the folder {}: {}", state, fault.message())};
  }
  auto reader = sqlite::Database::open_format(file_in(state), kPinsFormat);
  if (!reader) return reader.error();
  auto made = reader->run(kTable);
  if (made) made = reader->set_format(kPinsFormat);
  if (!made) {
    return Error{Code::internal,
                 fmt::format("cannot use {}: {}", file_in(state), made.error().message)};
  }
  auto writer = sqlite::Database::open(file_in(state));
  if (!writer) return writer.error();
  return std::unique_ptr<PinStore>(new PinStore(*std::move(reader), *std::move(writer)));
}

PinStore::PinStore(sqlite::Database reader, sqlite::Database writer)
    : reader_(std::move(reader)), writer_(std::move(writer)), thread_([this] { work(); }) {}

PinStore::~PinStore() {
  {
    const std::lock_guard lock(mutex_);
    stopping_ = true;
  }
  changed_.notify_one();
  thread_.join();
}

Result<PinMap> PinStore::read() {
  PinMap pins;
  sqlite::Statement select(
      reader_, "SELECT upstream, tool, definition, changed, first_seen, changed_at FROM pins");
  int stepped = SQLITE_ROW;
  while ((stepped = select.step()) == SQLITE_ROW) {
    pins[{select.text(0), select.text(1)}] = {select.text(2), select.text(3), select.number(4),
                                              select.number(5)};
  }
  if (stepped == SQLITE_DONE) return pins;
  return Error{Code::internal,
               fmt::format("cannot read the pins: {}", ::sqlite3_errmsg(reader_.get()))};
}

Result<bool> PinStore::accept(const Key& key) {
  sqlite::Statement update(reader_,
                           "UPDATE pins SET definition = changed, changed = '', changed_at = 0 "
                           "WHERE upstream = ? AND tool = ? AND changed <> ''");
  update.bind(1, std::string_view(key.first));
  update.bind(2, std::string_view(key.second));
  auto updated = update.run();
  if (!updated) return updated.error();
  return ::sqlite3_changes(reader_.get()) > 0;
}

Result<void> PinStore::accept(const Key& key, const Pin& pin) {
  sqlite::Statement put(reader_,
                        "INSERT INTO pins (upstream, tool, definition, first_seen) "
                        "VALUES (?1, ?2, ?3, ?4) ON CONFLICT (upstream, tool) DO UPDATE "
                        "SET definition = ?3, changed = '', changed_at = 0");
  put.bind(1, std::string_view(key.first));
  put.bind(2, std::string_view(key.second));
  put.bind(3, std::string_view(pin.definition));
  put.bind(4, pin.first_seen);
  return put.run();
}

void PinStore::put(Write write) {
  {
    const std::lock_guard lock(mutex_);
    if (waiting_.size() >= kMostWaiting) {
      log::Line(log::Level::error, "pin not stored").add("why", "too many are queued");
      return;
    }
    waiting_.push_back(std::move(write));
  }
  changed_.notify_one();
}

// All queued changes are one transaction.
void PinStore::work() {
  std::unique_lock lock(mutex_);
  for (;;) {
    changed_.wait(lock, [this] { return stopping_ || !waiting_.empty(); });
    if (waiting_.empty()) return;
    auto batch = std::exchange(waiting_, {});
    lock.unlock();
    auto written = writer_.run("BEGIN IMMEDIATE");
    for (const auto& one : batch) {
      if (written) written = write(one);
    }
    if (written) written = writer_.run("COMMIT");
    if (!written) {
      log::Line(log::Level::error, "pins not stored").add("why", written.error().message);
      auto undone = writer_.run("ROLLBACK");
      discard(undone, "there was nothing to undo");
    }
    lock.lock();
  }
}

Result<void> PinStore::write(const Write& write) {
  sqlite::Statement statement(
      writer_, write.fresh
                   ? "INSERT OR IGNORE INTO pins (changed, changed_at, upstream, tool, definition, "
                     "first_seen) VALUES (?1, ?2, ?3, ?4, ?5, ?6)"
                   : "UPDATE pins SET changed = ?1, changed_at = ?2 "
                     "WHERE upstream = ?3 AND tool = ?4 AND definition = ?5");
  statement.bind(1, std::string_view(write.pin.changed));
  statement.bind(2, write.pin.changed_at);
  statement.bind(3, std::string_view(write.key.first));
  statement.bind(4, std::string_view(write.key.second));
  statement.bind(5, std::string_view(write.pin.definition));
  if (write.fresh) statement.bind(6, write.pin.first_seen);
  return statement.run();
}

}  // namespace patchbay::policy
