// An OpenapiClient is one worker's access to a service: the operations, and the connections.
//
// Confined to its worker.
#pragma once

#include <memory>
#include <string>

#include "async/one_shot.h"
#include "gateway/call/call.h"
#include "net/http/client/pool.h"
#include "net/io/loop.h"
#include "transport/credentials.h"
#include "upstreams/client_calls.h"
#include "upstreams/openapi/answer.h"
#include "upstreams/openapi/request.h"
#include "upstreams/openapi/service.h"

namespace patchbay::upstreams {

// The shared state of the clients of an upstream. Constant.
struct OpenapiTarget {
  std::string upstream;
  std::shared_ptr<const net::TlsContext> tls;
  net::HttpPoolSettings pool;
  OpenapiBase base;
  std::size_t answer = 64 << 20;  // Maximum size of an answer.
};

class OpenapiClient {
 public:
  // REQUIRES: `target` outlives it.
  OpenapiClient(net::Loop& loop, const OpenapiTarget& target) : loop_(loop), target_(target) {}

  net::Loop& loop() const { return loop_; }

  // Later calls use this document. Calls in progress finish with theirs.
  void use(std::shared_ptr<const OpenapiService> service);

  // Calls the tool `name` with raw arguments, or reads the resource `uri`, for `of`. `credentials`
  // may be null, and outlive the call.
  Task<mcp::Reply> call(const gateway::Call& of, std::string_view name, std::string_view arguments,
                        transport::Credentials* credentials);
  Task<mcp::Reply> read(const gateway::Call& of, std::string_view uri,
                        transport::Credentials* credentials);

  // Lets calls finish until `deadline`, cancels the rest, and closes the connections.
  Task<void> stop(Deadline deadline);

 private:
  using Pool = std::shared_ptr<net::HttpPool>;

  Task<OpenapiAnswer> send(const gateway::Call& of, std::shared_ptr<const OpenapiService> service,
                           const OpenapiOperation& operation, std::string arguments,
                           transport::Credentials* credentials);
  Task<OpenapiAnswer> attempt(const gateway::Call& of, const OpenapiOperation& operation,
                              const OpenapiRequest& request, transport::Credentials* credentials,
                              Pool pool);
  Task<OpenapiAnswer> exchange(const net::HttpCall& call, transport::Credentials* credentials,
                               Pool pool, Deadline deadline);

  net::Loop& loop_;
  const OpenapiTarget& target_;
  std::shared_ptr<const OpenapiService> service_;
  Pool pool_;
  ClientCalls running_;
};

}  // namespace patchbay::upstreams
