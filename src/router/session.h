// The part of the client's session that a new connection to the gateway needs: the session-based
// revisions start with a handshake, which the router repeats for the client. Stateless requests
// need nothing of the kind.
//
// Pure.
#pragma once

#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "mcp/message.h"

namespace patchbay::app {

class RouterSession {
 public:
  // The gateway has answered a request of the client with a result (raw).
  void note(std::string_view method, std::string_view params, std::string_view result);

  // The client has sent `notifications/initialized`.
  void note_initialized() { initialized_ = true; }

  // False: there is no session to restore.
  bool begun() const { return !initialize_.empty(); }
  bool initialized() const { return initialized_; }

  // The raw params of `initialize`.
  const std::string& initialize() const { return initialize_; }

  // Further requests for a new connection: method and raw params. Only the `primary` connection
  // subscribes to changes.
  std::vector<std::pair<std::string, std::string>> repeated(bool primary) const;

  // The notifications that make the client refresh its lists.
  std::vector<std::string> list_changes() const;

  // False if a gateway that answers `initialize` with `result` differs from the one that the client
  // knows.
  bool same_revision(std::string_view result) const;

 private:
  std::string initialize_;
  std::string result_;  // Of initialize, raw.
  bool initialized_ = false;
  std::string level_;                 // The raw params of the last logging/setLevel.
  std::set<std::string> subscribed_;  // Raw URIs.
};

// Methods that are sent only to the primary connection, because they leave state there.
bool is_for_primary(std::string_view method);

// Idempotent methods.
bool may_be_repeated(std::string_view method);

// Notifications that arrive on each connection.
bool is_for_all(std::string_view notification);

}  // namespace patchbay::app
