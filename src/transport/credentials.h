// Credentials are what a server is headers with each request where that changes with time: a token
// that is fetched, renewed, and fetched anew when the server refuses it.
//
// Usable from any worker.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "async/task.h"
#include "net/http/client/pool.h"

namespace patchbay::transport {

// What one request shows. Never logged.
struct AuthHeaders {
  std::string fields;  // Header lines, each with its CRLF.
};
using AuthHeadersPtr = std::shared_ptr<const AuthHeaders>;

// How a server refused what it was headers.
struct Refused {
  int status = 401;
  std::vector<std::string> challenges = {};  // The values of WWW-Authenticate.
};

class Credentials {
 public:
  virtual ~Credentials() = default;

  // What to show, if that is known without waiting; null otherwise.
  virtual AuthHeadersPtr at_hand() const = 0;

  // What to show; null: nothing, as far as is known. Code::forbidden if a person must do something
  // first; the message says what.
  virtual Task<AuthHeadersPtr> get(Deadline deadline) = 0;

  // The server has refused `headers`, which may be null. What to show instead; null if there is
  // nothing better, or if the refusal is about something else.
  virtual Task<AuthHeadersPtr> better_than(AuthHeadersPtr headers, Refused refused,
                                           Deadline deadline) = 0;

  // How often there has been something new to show.
  virtual int changes() const = 0;
  // Waits until there have been more than `seen` changes, or until `deadline`.
  virtual Task<void> wait_for_change(int seen, Deadline deadline) = 0;
};

// Sends the request with what `credentials` show, and again where the server refuses that and there
// is something better: once for a token that is not taken, and once for one that is not enough. All
// views must stay valid until it yields.
Task<std::unique_ptr<net::HttpResponse>> request_with(Credentials& credentials, net::HttpPool& pool,
                                                      const net::HttpCall& call, Deadline deadline);

// The same, or without more ado if `credentials` is null.
inline Task<std::unique_ptr<net::HttpResponse>> request_as(Credentials* credentials,
                                                           net::HttpPool& pool,
                                                           const net::HttpCall& call,
                                                           Deadline deadline) {
  return credentials ? request_with(*credentials, pool, call, deadline)
                     : pool.request(call, deadline);
}

}  // namespace patchbay::transport
