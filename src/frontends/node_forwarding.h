// Passes requests on to the nodes of the cluster that have what they refer to.
//
// One per worker; confined to it.
#pragma once

#include <functional>
#include <optional>

#include "cluster/forwarder.h"
#include "cluster/members.h"

namespace patchbay::frontends {

// Whether a request may run a second time, when it is not known whether it has run.
enum class Repeatable : bool { no, yes };

class NodeForwarding {
 public:
  // REQUIRES: both outlive it.
  NodeForwarding(const cluster::Members& members, cluster::Forwarder& forwarder)
      : members_(members), forwarder_(forwarder) {}

  const cluster::Members& members() const { return members_; }

  // Yields the node that has what the request refers to, given the one that another node has
  // named (0: none has). 0: this node has it.
  using Locate = std::function<Task<cluster::Run>(cluster::Run named)>;

  // Passes the exchange on to `node`, and answers it with what comes back. As long as nothing has
  // run, or it may run again, it is repeated with what `locate` yields, until members that have
  // ended are not in the list any more. False: this node has it by now. Code::unavailable if no
  // node answers; Code::upstream_failed if the request may have run.
  Task<bool> forward(net::HttpExchange& exchange, cluster::Run node, Repeatable repeatable,
                     Locate locate);

  // Passes an exchange of something that only the node `run` has on to it. False: it is this node,
  // or it has ended.
  Task<bool> forward_to(net::HttpExchange& exchange, cluster::Run run);

 private:
  cluster::Run other_member(cluster::Run run) const;

  const cluster::Members& members_;
  cluster::Forwarder& forwarder_;
};

}  // namespace patchbay::frontends
