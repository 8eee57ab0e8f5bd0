#include "frontends/node_forwarding.h"

#include <fmt/format.h>

#include "core/discard.h"

namespace patchbay::frontends {
namespace {

using cluster::Forwarded;

constexpr auto kPause = std::chrono::milliseconds(50);
constexpr int kDirections = 3;  // Nodes that name another one, before it takes a pause.

Error lost(const Error& why) {
  return {Code::upstream_failed,
          fmt::format("{}: the request may have run, and is not repeated", why.message),
          R"({"reason":"node_lost"})"};
}

Error nobody() {
  Error error{Code::unavailable,
              "the node that has this session cannot be reached, and nothing has run; try again"};
  set_retry_after(error, std::chrono::seconds(1));
  return error;
}

}  // namespace

Task<bool> NodeForwarding::forward(net::HttpExchange& exchange, cluster::Run node,
                                   Repeatable repeatable, Locate locate) {
  // A node that has ended is a member until its lease has expired.
  const Deadline until = here().now() + 2 * members_.lease() + std::chrono::seconds(1);
  for (int directions = 0;;) {
    cluster::Run named = 0;
    const auto list = members_.list();
    if (const auto* const member = list->find(node)) {
      auto forwarded = co_await forwarder_.forward(exchange, *member);
      if (!forwarded) co_return forwarded.error();
      if (forwarded->outcome == Forwarded::Outcome::answered) co_return true;
      if (forwarded->outcome == Forwarded::Outcome::lost && repeatable == Repeatable::no) {
        co_return lost(forwarded->why);
      }
      named = forwarded->owner;
    }
    if (here().now() >= until) co_return nobody();
    if (named == 0 || ++directions >= kDirections) {
      directions = 0;
      auto slept = co_await sleep_until(here().now() + kPause);
      if (!slept) co_return slept.error();
    }
    auto next = co_await locate(named);
    if (!next) co_return next.error();
    if (*next == 0) co_return false;
    node = *next;
  }
}

cluster::Run NodeForwarding::other_member(cluster::Run run) const {
  return members_.joined() && run != members_.run() && members_.list()->find(run) ? run : 0;
}

Task<bool> NodeForwarding::forward_to(net::HttpExchange& exchange, cluster::Run run) {
  if (exchange.forwarded() || run == members_.run()) co_return false;
  auto there = co_await members_.has(run);
  discard(there, "without the store, the list is what is known");
  if (other_member(run) == 0) co_return false;
  const auto locate = [this, run](cluster::Run) -> Task<cluster::Run> {
    co_return other_member(run);
  };
  co_return co_await forward(exchange, run, Repeatable::no, locate);
}

}  // namespace patchbay::frontends
