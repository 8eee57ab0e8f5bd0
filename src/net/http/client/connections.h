// The HttpConnections of one pool: idle ones, those in use, and the requests that wait for one. A
// PooledConnection is one of them, or the slot of one that is being opened; it is counted from its
// creation to its destruction.
//
// Confined to the worker of the pool.
#pragma once

#include <chrono>
#include <list>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "async/executor.h"
#include "async/one_shot.h"
#include "net/http/syntax/parse.h"
#include "net/io/address.h"
#include "net/stream/stream.h"
#include "observe/metrics.h"

namespace patchbay::net {

// The use of the pools of one server by all workers together. Usable from any thread.
struct HttpPoolUse {
  HttpPoolUse(metrics::Registry& registry, std::string_view upstream);

  std::shared_ptr<metrics::Gauge> open;     // Connections, including those that are being opened.
  std::shared_ptr<metrics::Gauge> idle;     // The idle ones among them.
  std::shared_ptr<metrics::Gauge> waiting;  // Requests that wait for one.
};

struct HttpPoolSettings {
  int connections = 64;  // Open at most.
  int waiting = 1024;    // Requests that may wait for one.
  std::chrono::nanoseconds idle{
      std::chrono::seconds(60)};  // Idle connections are closed after this time.
  std::chrono::nanoseconds connect{std::chrono::seconds(5)};
  HttpLimits response;  // For a response's head; the timeout of the body is up to its reader.
  AddressRule may_reach = {};
  std::shared_ptr<HttpPoolUse> use = {};  // Null: nothing is counted.
};

class HttpConnections;

class PooledConnection final : public Source::Waiter, public Timer {
 public:
  explicit PooledConnection(HttpConnections& owner);
  ~PooledConnection() override;

  const HttpPoolSettings& settings() const;

  HttpConnections& connections;
  std::unique_ptr<Stream> stream;  // Null until it is connected.
  const int closings;              // Of its owner, when this began.
  bool used = false;               // It has carried a request and its answer.
  bool half_sent = false;          // The response arrived before all of the request was sent.

 private:
  // While idle: the server has closed it, or sends bytes that no request asked for.
  void on_ready() override;
  void on_deadline() override;
};

class HttpConnections final : Executor::TurnEnd {
 public:
  using Connection = std::unique_ptr<PooledConnection>;

  // `server` is its name for messages.
  HttpConnections(std::string server, const HttpPoolSettings& settings)
      : server_(std::move(server)), settings_(settings) {}
  ~HttpConnections();  // REQUIRES: none is in use, and nothing waits for one.

  const std::string& server() const { return server_; }
  const HttpPoolSettings& settings() const { return settings_; }
  int open() const { return open_; }

  // The last used idle connection; null if there is none.
  Connection take_idle();

  // Yields the slot in which to open a connection, or one that has become idle meanwhile.
  // Code::overloaded if too many requests wait already.
  Task<Connection> obtain(Deadline deadline);

  // Takes a connection back that can be used again, for as long as `idle`.
  void put_back(Connection connection, std::chrono::nanoseconds idle);

  // Drops the idle ones; those in use are not used again.
  void close();

 private:
  friend class PooledConnection;

  struct Waiting {
    OneShot<Connection> slot;
    bool listed = true;
  };

  void note(std::shared_ptr<metrics::Gauge> HttpPoolUse::* what, std::int64_t change) const {
    if (settings_.use) ((*settings_.use).*what)->add(change);
  }
  bool hand_over(Connection& connection);
  void dismiss(PooledConnection& connection);
  void on_closed();
  void drop_idle();
  void on_turn_end() override { dismissed_.clear(); }

  const std::string server_;
  const HttpPoolSettings settings_;
  int open_ = 0;  // Those that are being opened included.
  int closings_ = 0;
  std::vector<Connection> idle_;       // The last used at the back.
  std::vector<Connection> dismissed_;  // Destroyed at the end of the turn.
  std::list<Waiting*> waiting_;
};

inline PooledConnection::PooledConnection(HttpConnections& owner)
    : connections(owner), closings(owner.closings_) {
  ++owner.open_;
  owner.note(&HttpPoolUse::open, 1);
}

inline PooledConnection::~PooledConnection() { connections.on_closed(); }

inline const HttpPoolSettings& PooledConnection::settings() const { return connections.settings(); }

}  // namespace patchbay::net
