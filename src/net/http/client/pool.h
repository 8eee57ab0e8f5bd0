// An HttpPool holds the connections of one worker to one HTTP server and sends requests over them.
// Idle connections are reused, the last used first; one that the server closes is dropped at once.
//
// A request costs one write, and one read if its response is small. It is never sent twice: a tool
// call may have done its work although the response was lost.
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
  std::chrono::nanoseconds idle{std::chrono::seconds(60)};  // Idle for so long: closed.
  std::chrono::nanoseconds connect{std::chrono::seconds(5)};
  HttpLimits response;  // Of a response's head; the body's is up to its reader.
  AddressRule may_reach = {};
};

struct HttpCall {
  std::string_view method;
  std::string_view path;    // With its query.
  std::string_view fields;  // Further header lines, each with its CRLF.
  std::string_view body;
  bool* begun = nullptr;  // If not null: set once a part of it may have reached the server.
};

class HttpPool final : Executor::TurnEnd {
 public:
  // With `tls` null the server is reached without TLS. The path of the URL is not used.
  HttpPool(Url origin, std::shared_ptr<const TlsContext> tls, const HttpPoolSettings& settings);
  ~HttpPool();  // REQUIRES: no request is in progress, and no response is being read.

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

  void put_back(Connection connection, std::chrono::nanoseconds idle);
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
  std::vector<Connection> dismissed_;  // Destroyed at the end of the turn.
  std::list<Waiting*> waiting_;
};

// True if a request was sent over a reused connection and the server closed it without a byte of
// response. Most likely the connection had timed out and the request was not read. A caller whose
// request is safe to repeat may repeat it.
bool died_unanswered(const Error& error);

}  // namespace patchbay::net
