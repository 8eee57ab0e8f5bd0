// An HttpPool holds the connections of one worker to one HTTP server and sends requests over them.
// Connections are kept alive and used again, the last used first; one that the server closes
// meanwhile is dropped at once.
//
// A request costs one write, and one read if its answer is small. It is never sent twice: a call of
// a tool may have done its work although the answer was lost.
//
// Confined to the worker that made it.
#pragma once

#include <chrono>
#include <list>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "async/one_shot.h"
#include "net/http/client/response.h"
#include "net/http/syntax/url.h"
#include "net/stream/stream.h"

namespace patchbay::net {

struct HttpPoolSettings {
  int connections = 64;                                     // Open at most.
  int waiting = 1024;                                       // Requests that may wait for one.
  std::chrono::nanoseconds idle{std::chrono::seconds(60)};  // Unused for so long: closed.
  std::chrono::nanoseconds connect{std::chrono::seconds(5)};
  HttpLimits response;  // Of a response's head; the body's is up to its reader.
  AddressRule may_reach = {};
};

struct HttpCall {
  std::string_view method;
  std::string_view path;    // With its query.
  std::string_view fields;  // Further header lines, each with its CRLF.
  std::string_view body;
  bool* begun = nullptr;  // If given: set once a part of it may have reached the server.
};

class HttpPool final : Executor::TurnEnd {
 public:
  // With `tls` null the server is reached in the clear; the URL's path does not matter.
  HttpPool(Url origin, std::shared_ptr<const TlsContext> tls, const HttpPoolSettings& settings);
  ~HttpPool();  // REQUIRES: no request is under way, and no response is being read.

  // Sends the request and reads the response's head. All views must stay valid until it yields.
  // Redirects are not followed. A failure is
  //  - Code::unavailable: no connection, so that nothing was sent;
  //  - Code::overloaded: too many requests wait for a connection;
  //  - Code::upstream_failed: no answer (see died_unanswered()), one that broke off, or that is not
  //    HTTP;
  //  - Code::timeout, Code::cancelled.
  // Whatever goes wrong closes the connection, so that nobody gets the answer of another.
  Task<std::unique_ptr<HttpResponse>> request(const HttpCall& call, Deadline deadline);

  // Drops idle connections; those in use are not used again. Later requests open new ones.
  void close();

  int open() const { return open_; }
  const Url& origin() const { return origin_; }

 private:
  friend class HttpResponse;
  friend class PooledConnection;
  using Connection = std::unique_ptr<PooledConnection>;

  struct Waiting {
    OneShot<Connection> slot;
    bool listed = true;
  };

  Connection take_idle();
  Task<Connection> obtain(Deadline deadline);
  Task<Connection> wait_for_one(Deadline deadline);
  void compose_head(const HttpCall& call);
  Task<void> send_rest(HttpResponse& response, std::string_view body, std::size_t sent,
                       Deadline deadline);

  void give_back(Connection connection, std::chrono::nanoseconds idle);
  bool hand_over(Connection& connection);
  void dismiss(PooledConnection& connection);
  void on_closed();
  void on_turn_end() override;

  const Url origin_;
  const std::string authority_;
  const std::shared_ptr<const TlsContext> tls_;
  const HttpPoolSettings settings_;
  int open_ = 0;  // Those that are being opened included.
  int closings_ = 0;
  std::string head_;                   // Of the request that is being sent.
  std::vector<Connection> idle_;       // The last used at the back.
  std::vector<Connection> dismissed_;  // Gone at the end of the turn.
  std::list<Waiting*> waiting_;
};

// True if a request was sent over a connection that had been used before, and the server closed it
// without a byte of an answer. Most likely it had timed out and the request was not seen; whoever
// knows that asking again does no harm may do so.
bool died_unanswered(const Error& error);

}  // namespace patchbay::net
