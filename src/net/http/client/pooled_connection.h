// A PooledConnection is one connection of an HttpPool, or the slot of one that is being opened. The
// pool counts it from creation to destruction.
//
// Confined to the worker of its pool.
#pragma once

#include <memory>

#include "net/http/client/pool.h"

namespace patchbay::net {

class PooledConnection final : public Source::Waiter, public Timer {
 public:
  explicit PooledConnection(HttpPool& owner) : pool(owner), closings(owner.closings_) {
    ++pool.open_;
  }
  ~PooledConnection() override { pool.on_closed(); }

  HttpPool& pool;
  std::unique_ptr<Stream> stream;  // Null until it is connected.
  const int closings;              // Of the pool, when this began.
  bool used = false;               // It has carried a request and its answer.
  bool half_sent = false;          // The response arrived before all of the request was sent.

 private:
  // While idle: the server has closed it, or sends bytes that no request asked for.
  void on_ready() override;
  void on_deadline() override { pool.dismiss(*this); }
};

}  // namespace patchbay::net
