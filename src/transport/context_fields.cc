#include "transport/context_fields.h"

namespace patchbay::transport {

void append_context(std::string& fields, const trace::SentContext& context) {
  const auto add = [&fields](std::string_view name, std::string_view value) {
    if (value.empty()) return;
    for (const auto piece : {name, std::string_view(": "), value, std::string_view("\r\n")}) {
      fields += piece;
    }
  };
  add("traceparent", context.traceparent());
  add("tracestate", context.tracestate());
  add("baggage", context.baggage());
}

}  // namespace patchbay::transport
