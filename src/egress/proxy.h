// The EgressProxy is the only egress of a sandbox: an HTTP proxy on a Unix socket that the sandbox
// sees. It connects to the destinations that are listed, and to no address of this machine or of a
// private network unless that address itself is listed. Each connection is a line in the log.
//
// Confined to the worker of its sandbox.
#pragma once

#include <memory>
#include <string>

#include "async/scope.h"
#include "egress/request.h"
#include "net/io/relay.h"
#include "net/io/source.h"
#include "observe/metrics.h"
#include "sandbox/confined.h"
#include "sandbox/settings.h"

namespace patchbay::upstreams {

// The counters of all proxies of one upstream. Counted when a connection ends, on any thread.
struct EgressCounters {
  EgressCounters(metrics::Registry& registry, const std::string& upstream);

  const std::shared_ptr<metrics::Gauge> open;
  const std::shared_ptr<metrics::Counter> allowed;    // Led to where they were to go.
  const std::shared_ptr<metrics::Counter> refused;    // Destination not allowed.
  const std::shared_ptr<metrics::Counter> failed;     // Allowed, but the connection failed.
  const std::shared_ptr<metrics::Counter> surplus;    // One too many.
  const std::shared_ptr<metrics::Counter> malformed;  // Not a valid request.
  const std::shared_ptr<metrics::Counter> sent;       // Bytes.
  const std::shared_ptr<metrics::Counter> received;
};

class EgressProxy {
 public:
  // For a sandbox that was started with these settings; null if they have no `egress`. It serves at
  // once, and must be stopped before it is destroyed. Without `counters` nothing is counted.
  static std::unique_ptr<EgressProxy> start(const std::string& upstream,
                                            sandbox::Confined& confined,
                                            const sandbox::Settings& settings,
                                            std::shared_ptr<const EgressCounters> counters);

  // The name of the sandbox in the log from now on.
  void call(std::string sandbox) { sandbox_ = std::move(sandbox); }

  // Closes every connection and waits until all have ended.
  Task<void> stop();

 private:
  struct Visit;  // One connection, and its log fields.

  EgressProxy(std::string upstream, std::string sandbox, net::Fd listener,
              sandbox::EgressRules rules, const sandbox::EgressLimits& limits,
              std::shared_ptr<const EgressCounters> counters);

  Task<void> accept();
  void turn_away(const net::Fd& socket);
  Task<void> serve(net::Fd socket);
  Task<void> visit(net::Source& client, Visit& visit);
  Task<std::string> read_head(net::Source& client, std::string& rest);
  Task<net::Fd> connect(const sandbox::Destination& destination);
  Error not_listed(const sandbox::Destination& destination) const;
  Error not_reached(const sandbox::Destination& destination, const net::Address& address) const;
  void count(const Visit& visit) const;
  void write_line(const Visit& visit, const Result<void>& outcome) const;

  const std::string upstream_;
  std::string sandbox_;
  const sandbox::EgressRules rules_;
  const sandbox::EgressLimits limits_;
  const std::shared_ptr<const EgressCounters> counters_;
  net::Source listener_;
  int open_ = 0;
  Scope scope_;
};

}  // namespace patchbay::upstreams
