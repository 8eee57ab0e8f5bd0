#include "gateway/record.h"

#include "observe/log.h"

namespace patchbay::gateway {
namespace {

std::string_view outcome_of(const mcp::Reply& reply) {
  if (!reply.is_error) return "ok";
  return reply.why ? info(*reply.why).name : "upstream_error";
}

}  // namespace

Recorder::Series& Recorder::series(std::string_view upstream) {
  auto& found = by_upstream_[std::string(upstream)];
  if (!found.seconds) {
    found.seconds = registry_.histogram("patchbay_call_seconds", "How long calls took.",
                                        metrics::labels({{"upstream", upstream}}));
  }
  return found;
}

void Recorder::record(const Call& call, const mcp::Reply& reply, Deadline began) {
  const double seconds = std::chrono::duration<double>(Clock::now() - began).count();
  const auto outcome = outcome_of(reply);
  auto& known = series(call.upstream);
  auto& counter = known.outcomes[outcome];
  if (!counter) {
    counter =
        registry_.counter("patchbay_calls_total", "Calls by upstream and outcome.",
                          metrics::labels({{"upstream", call.upstream}, {"outcome", outcome}}));
  }
  counter->add();
  known.seconds->observe(seconds);
  if (log_calls_) log(call, reply, outcome, seconds);
}

void Recorder::log(const Call& call, const mcp::Reply& reply, std::string_view outcome,
                   double seconds) {
  log::Line(log::Level::info, "call")
      .add("id", call.request.id)
      .add("face", call.face)
      .add("who", call.who ? call.who->name : "nobody")
      .add("method", call.request.method)
      .add("name", call.target)
      .add("upstream", call.upstream)
      .add("outcome", outcome)
      .add_ms("ms", seconds * 1e3)
      .add("in", std::uint64_t{call.bytes_in})
      .add("out", std::uint64_t{reply.body.size()});
}

}  // namespace patchbay::gateway
