#include "frontends/received_context.h"

#include <memory>

#include "core/http_token.h"

namespace patchbay::frontends {
namespace {

// Adds the value of one more field to a list. `memory` is for several of them together.
void extend(std::string_view& list, std::string_view value, net::HttpExchange& exchange,
            std::string trace::OwnedContext::* memory) {
  if (list.empty() || value.empty()) {
    list = list.empty() ? value : list;
    return;
  }
  if (!exchange.joined_context) exchange.joined_context = std::make_unique<trace::OwnedContext>();
  std::string& joined = (*exchange.joined_context).*memory;
  if (joined.empty()) joined = list;
  joined += ',';
  joined += value;
  list = joined;
}

trace::ReceivedContext read_context(net::HttpExchange& exchange) {
  trace::ReceivedContext found{.method = exchange.request.method, .to = exchange.request.path};
  int parents = 0;
  for (const auto& [name, value] : exchange.request.fields) {
    if (same_token(name, "traceparent")) {
      found.traceparent = ++parents == 1 ? value : std::string_view();
    } else if (same_token(name, "tracestate")) {
      extend(found.tracestate, value, exchange, &trace::OwnedContext::tracestate);
    } else if (same_token(name, "baggage")) {
      extend(found.baggage, value, exchange, &trace::OwnedContext::baggage);
    }
  }
  return found;
}

}  // namespace

const trace::ReceivedContext& received_context(net::HttpExchange& exchange) {
  if (!exchange.context) exchange.context = read_context(exchange);
  return *exchange.context;
}

}  // namespace patchbay::frontends
