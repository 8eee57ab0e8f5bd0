// What a gateway must hear of the client's session when a connection to it is new: the revisions
// with sessions shake hands once, and the router repeats it for the client. Requests of the
// stateless revision need nothing of the kind.
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

  // The client has said that it is ready.
  void note_initialized() { initialized_ = true; }

  // False: there is no session, and a new connection needs to hear nothing.
  bool begun() const { return !initialize_.empty(); }
  bool initialized() const { return initialized_; }

  // The raw params of `initialize`.
  const std::string& initialize() const { return initialize_; }

  // What else a new connection is asked: method and raw params. Only one connection needs to tell
  // of changes: the `primary` one.
  std::vector<std::pair<std::string, std::string>> repeated(bool primary) const;

  // Which notifications say that what the client knows of lists may be old.
  std::vector<std::string> list_changes() const;

  // False if a gateway that answers `initialize` with `result` is not the one that the client
  // knows.
  bool same_revision(std::string_view result) const;

 private:
  std::string initialize_;
  std::string result_;  // Of initialize, raw.
  bool initialized_ = false;
  std::string level_;                 // The raw params of the last logging/setLevel.
  std::set<std::string> subscribed_;  // Raw URIs.
};

// Methods that only the primary connection is asked, because they leave something behind there.
bool is_for_primary(std::string_view method);

// Methods that may be asked twice.
bool may_be_repeated(std::string_view method);

// Notifications that would come over each connection.
bool is_for_all(std::string_view notification);

}  // namespace patchbay::app
