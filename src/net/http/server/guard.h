// An HttpGuard authenticates a request before anything else reads it.
//
// One per worker; confined to it.
#pragma once

#include <string_view>

#include "async/task.h"
#include "core/principal.h"

namespace patchbay::net {

class HttpExchange;

class HttpGuard {
 public:
  virtual ~HttpGuard() = default;

  // True if the duration is needed.
  virtual bool is_timed() const { return false; }

  // The caller, if it can be found without waiting; otherwise null.
  virtual Caller recognise(const HttpExchange& exchange) = 0;

  // The same for all other requests; may wait. Null if it has answered with a refusal; on an open
  // route, null without an answer.
  virtual Task<Caller> admit(HttpExchange& exchange, bool open) = 0;

  // True if the settings open a route to unauthenticated clients.
  virtual bool opens(std::string_view) const { return false; }
};

// Authenticates nothing: every client is the local caller.
class AnonymousGuard final : public HttpGuard {
 public:
  Caller recognise(const HttpExchange&) override { return local_; }
  Task<Caller> admit(HttpExchange&, bool) override { co_return local_; }

 private:
  const Caller local_ = local_caller();
};

}  // namespace patchbay::net
