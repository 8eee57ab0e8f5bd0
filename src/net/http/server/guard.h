// An HttpGuard finds out who sends a request, before anything else looks at it.
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

  // Who sends the request, if that can be said at once; otherwise null.
  virtual Caller recognise(const HttpExchange& exchange) = 0;

  // The same for everyone else, in its own time. Null if it has answered with a refusal; where the
  // route is open to all, null and no answer.
  virtual Task<Caller> admit(HttpExchange& exchange, bool open) = 0;

  // True if the settings open a route to those too whom nobody knows.
  virtual bool opens(std::string_view) const { return false; }
};

// Asks nobody: whoever comes is the local caller.
class AnonymousGuard final : public HttpGuard {
 public:
  Caller recognise(const HttpExchange&) override { return local_; }
  Task<Caller> admit(HttpExchange&, bool) override { co_return local_; }

 private:
  const Caller local_ = local_caller();
};

}  // namespace patchbay::net
