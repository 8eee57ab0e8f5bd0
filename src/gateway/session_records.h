// The SessionRecords are what is stored of sessions: that one has ended, and what a client has set
// since it began. Most sessions have no record: their id says everything.
//
// One per worker; confined to it. They write only records of sessions that this worker owns, so
// that the records of one session are written in order.
#pragma once

#include <cstdint>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "async/scope.h"
#include "store/store.h"

namespace patchbay::gateway {

inline constexpr store::Table kSessionTable{"sessions"};

struct SessionRecord {
  std::uint64_t run = 0;  // The process that wrote it: the one that has the session.
  bool ended = false;
  // It has used programs that end with the process, and that know what its calls have told them.
  bool has_private = false;
  int log_level = -1;                  // See Session.
  std::vector<std::string> uris = {};  // Of the resources that it subscribes to.
};

// As text, and back. Not what it says that a later version may add.
std::string text_of(const SessionRecord& record);
SessionRecord session_record(std::string_view text);

// The key of a session in the table: a digest of its id.
std::string session_record_key(std::string_view id);

// A record as it was read.
struct StoredSessionRecord {
  SessionRecord record;
  store::Version version = store::kAbsent;
};

class SessionRecords {
 public:
  // REQUIRES: the store outlives this.
  explicit SessionRecords(store::Store& store) : store_(store) {}

  // Without a store that outlives the process there are none, and no session can be restored: one
  // that has ended could not be distinguished from one that has not.
  bool outlive_process() const { return store_.outlives_process(); }

  Task<StoredSessionRecord> read(std::string key);

  // Writes it unless it has changed since it was read. False: it has.
  Task<bool> replace(std::string key, const SessionRecord& record, store::Version expected,
                     store::Time expires);

  // Writes it in the background; it may be lost if the process dies within moments. A failure is
  // logged.
  void write(std::string key, const SessionRecord& record, store::Time expires);

  // Waits for what is being written.
  Task<void> written();

 private:
  Task<void> put(store::Item item, bool ended);

  store::Store& store_;
  std::set<std::string> unwritten_;  // Sessions that have ended, although it could not be stored.
  Scope writing_;
};

}  // namespace patchbay::gateway
