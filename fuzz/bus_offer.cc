// Fuzzes what becomes of schemas that a Schema Registry has: the tool that an agent is listed as,
// and the requests that are sent to it. The input is a schema and arguments, with a line break
// between them: whatever is listed and sent is JSON.
#include "bus/framing.h"
#include "fuzz/require.h"
#include "json/read.h"
#include "upstreams/kafka_offer.h"

using patchbay::fuzz::require;

namespace {

using namespace patchbay;

void check_offer(const upstreams::KafkaOffer& offer, std::string_view arguments) {
  require(static_cast<bool>(json::check(upstreams::item_of(offer).definition)));
  const auto framed_key = upstreams::request_key(offer, "id");
  require(static_cast<bool>(framed_key));
  const auto key = bus::unframe(*framed_key, std::nullopt);
  require(key && json::check(key->payload));
  const auto framed = upstreams::request_value(offer, arguments, "id", 1);
  require(static_cast<bool>(framed));
  const auto value = bus::unframe(*framed, std::nullopt);
  require(value && json::check(value->payload));
  require(value->bare() || value->id == 7);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const auto text = fuzz::text_of(data, size);
  const std::size_t line = std::min(text.find('\n'), text.size());
  const auto schema = text.substr(0, line);
  const auto arguments = text.substr(std::min(line + 1, text.size()));
  if (!json::check(arguments) || json::type_of(arguments) != json::Type::object) return 0;

  auto compiled = json::Schema::compile(schema, {.default_draft = json::Draft::draft_07});
  if (!compiled) return 0;
  const auto known = std::make_shared<const bus::RegisteredSchema>(
      bus::RegisteredSchema{7, bus::SchemaKind::json, std::string(schema), *compiled});
  for (const char* const field : {"correlationId", "payload", "a"}) {
    bus::Registration registration{"t", "d", "in", "out"};
    registration.correlation_field = field;
    check_offer(upstreams::make_offer(registration, {known, known, known}, false), arguments);
  }
  return 0;
}
