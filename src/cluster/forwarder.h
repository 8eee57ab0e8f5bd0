// A Forwarder passes requests on to the nodes that have what they refer to, each over one link: a
// connection that all requests of a worker for that node share. The connection is made when it is
// first needed; TLS with the keys of the cluster authenticates both sides.
//
// A request is passed on at most once. If the link fails before anything of it was sent, nothing
// has run; afterwards, it may have run.
//
// One per worker; confined to it.
#pragma once

#include <array>
#include <memory>
#include <unordered_map>

#include "async/scope.h"
#include "cluster/link.h"
#include "net/http/server/exchange.h"
#include "observe/metrics.h"

namespace patchbay::cluster {

class OutgoingLink;

class Forwarder {
 public:
  Forwarder(LinkSettings settings, metrics::Registry& registry);
  ~Forwarder();

  // Links that are made from now on use them.
  void update(LinkSettings settings) { settings_ = std::move(settings); }

  // Passes the exchange on to the member, and answers it with what comes back.
  Task<Forwarded> forward(net::HttpExchange& exchange, const Member& member);

  // Ends all links.
  Task<void> stop();

 private:
  Task<Forwarded> pass_on(net::HttpExchange& exchange, const Member& member);

  LinkSettings settings_;
  std::array<std::shared_ptr<metrics::Counter>, kOutcomes> counters_;  // By Outcome.
  std::unordered_map<Run, std::shared_ptr<OutgoingLink>> links_;
  Scope scope_;
  bool stopping_ = false;
};

}  // namespace patchbay::cluster
