// Credentials are headers sent with each request to a server whose value changes with time: a token
// that is fetched, renewed, and fetched again when the server refuses it.
//
// Usable from any worker.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "async/task.h"
#include "net/http/client/pool.h"

namespace patchbay::transport {

// The headers of one request. Never logged.
struct AuthHeaders {
  std::string fields;  // Header lines, each with its CRLF.
};
using AuthHeadersPtr = std::shared_ptr<const AuthHeaders>;

// How a server refused the headers.
struct Refused {
  int status = 401;
  std::vector<std::string> challenges = {};  // The values of WWW-Authenticate.
};

class Credentials {
 public:
  virtual ~Credentials() = default;

  // The headers, if they are known without waiting; null otherwise.
  virtual AuthHeadersPtr at_hand() const = 0;

  // The headers; null: none are known. Code::forbidden if a person must act first; the message
  // explains how.
  virtual Task<AuthHeadersPtr> get(Deadline deadline) = 0;

  // The server has refused `headers`, which may be null. Yields the headers to use instead; null if
  // there are none, or if the refusal has another reason.
  virtual Task<AuthHeadersPtr> better_than(AuthHeadersPtr headers, Refused refused,
                                           Deadline deadline) = 0;

  // How often the headers have changed.
  virtual int changes() const = 0;
  // Waits until there have been more than `seen` changes, or until `deadline`.
  virtual Task<void> wait_for_change(int seen, Deadline deadline) = 0;
};

// Sends the request with the headers of `credentials`, and again if the server refuses them and
// there are better ones: once for an invalid token, and once for insufficient scope. All views must
// stay valid until it yields.
Task<std::unique_ptr<net::HttpResponse>> request_with(Credentials& credentials, net::HttpPool& pool,
                                                      const net::HttpCall& call, Deadline deadline);

// The same, or a plain request if `credentials` is null.
inline Task<std::unique_ptr<net::HttpResponse>> request_as(Credentials* credentials,
                                                           net::HttpPool& pool,
                                                           const net::HttpCall& call,
                                                           Deadline deadline) {
  return credentials ? request_with(*credentials, pool, call, deadline)
                     : pool.request(call, deadline);
}

}  // namespace patchbay::transport
