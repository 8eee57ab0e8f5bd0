// An HttpPool holds the connections of one worker to one HTTP server and sends requests over them.
// Idle connections are reused, the last used first; one that the server closes is dropped at once.
//
// A request costs one write, and one read if its response is small. It is never sent twice: a tool
// call may have done its work although the response was lost.
//
// Confined to the worker that made it.
#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "async/task.h"
#include "net/http/client/connections.h"
#include "net/http/client/response.h"
#include "net/http/syntax/url.h"

namespace patchbay::net {

struct HttpCall {
  std::string_view method;
  std::string_view path;    // With its query.
  std::string_view fields;  // Further header lines, each with its CRLF.
  std::string_view body;
  bool* begun = nullptr;  // If not null: set once a part of it may have reached the server.
};

class HttpPool {
 public:
  // With `tls` null the server is reached without TLS. The path of the URL is not used.
  // REQUIRES: when the pool is destroyed, no request is in progress and no response is being read.
  HttpPool(Url origin, std::shared_ptr<const TlsContext> tls, const HttpPoolSettings& settings);

  // Sends the request and reads the response's head. All views must stay valid until it yields.
  // Redirects are not followed. A failure is
  //  - Code::unavailable: no connection, so that nothing was sent;
  //  - Code::overloaded: too many requests wait for a connection;
  //  - Code::upstream_failed: no answer (see died_unanswered()), one that broke off, or that is not
  //    HTTP;
  //  - Code::timeout, Code::cancelled.
  // Any failure closes the connection, so that no request gets the response of another.
  Task<std::unique_ptr<HttpResponse>> request(const HttpCall& call, Deadline deadline);

  // Drops idle connections; those in use are not used again. Later requests open new ones.
  void close() { connections_.close(); }

  int open() const { return connections_.open(); }
  const Url& origin() const { return origin_; }

 private:
  using Connection = HttpConnections::Connection;

  Task<Connection> obtain(Deadline deadline);
  void compose_head(const HttpCall& call);
  Task<void> send_rest(HttpResponse& response, std::string_view body, std::size_t sent,
                       Deadline deadline);

  const Url origin_;
  const std::shared_ptr<const TlsContext> tls_;
  HttpConnections connections_;
  std::string head_;  // Of the request that is being sent.
};

// True if a request was sent over a reused connection and the server closed it without a byte of
// response. Most likely the connection had timed out and the request was not read. A caller whose
// request is safe to repeat may repeat it.
bool died_unanswered(const Error& error);

}  // namespace patchbay::net
