#include "upstreams/kafka/reply_value.h"

#include "json/read.h"
#include "upstreams/kafka/reply.h"

namespace patchbay::upstreams {

bool is_written_by(const AgentSchema& known, const bus::Unframed& value) {
  if (value.bare()) return true;
  const int id = value.id.value_or(0);
  return known && value.guid.empty() && (id == 0 || id == known->id);
}

Result<std::string_view> json_of(const bus::Unframed& value, const AgentSchema& schema,
                                 std::string& decoded) {
  if (schema && !schema->compiled) return bad_reply("has a schema: " + schema->problem);
  if (schema && schema->avro && !value.bare()) {
    auto text = schema->avro->decode(value.payload);
    if (!text) return bad_reply("does not match its Avro schema: " + text.error().message);
    decoded = *std::move(text);
    return std::string_view(decoded);
  }
  auto whole = json::check(value.payload);
  if (!whole) return bad_reply("is not JSON: " + whole.error().message);
  if (!schema) return value.payload;
  auto fitting = schema->compiled->validate(value.payload);
  if (!fitting) return bad_reply("does not fit its schema: " + fitting.error().message);
  return value.payload;
}

}  // namespace patchbay::upstreams
