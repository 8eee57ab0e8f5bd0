// Fuzzes offers made from the schemas of a Schema Registry, in JSON Schema or Avro: the tool that
// is listed for an agent, and the requests that are sent to it. The input is a schema and
// arguments, with a line break between them: the listed tool is JSON, and requests match their
// schema.
#include "bus/framing.h"
#include "fuzz/require.h"
#include "json/read.h"
#include "upstreams/kafka/offer.h"

using patchbay::fuzz::require;

namespace {

using namespace patchbay;

using Known = std::shared_ptr<const bus::RegisteredSchema>;

// For each location of the id.
template <class Check>
void each_offer(const Known& known, Check check) {
  for (const char* const field : {"correlationId", "payload", "a"}) {
    bus::Registration registration{"t", "d", "in", "out"};
    registration.correlation_field = field;
    const auto offer = upstreams::make_offer(registration, {known, known, known}, false);
    require(static_cast<bool>(json::check(upstreams::item_of(offer).definition)));
    check(offer);
  }
}

// What does not fit is not sent; what is sent can be read.
void check_avro(const upstreams::KafkaOffer& offer, std::string_view arguments) {
  for (const auto& sent :
       {upstreams::request_key(offer, "id"), upstreams::request_value(offer, arguments, "id", 1)}) {
    if (!sent) continue;
    const auto part = bus::unframe(*sent, std::nullopt);
    require(part && part->id == 7);
    const auto read = offer.schemas.request->avro->decode(part->payload);
    require(read || read.error().code == Code::too_large);
  }
}

void check_json(const upstreams::KafkaOffer& offer, std::string_view arguments) {
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
  if (compiled) {
    const auto known = std::make_shared<const bus::RegisteredSchema>(
        bus::RegisteredSchema{7, bus::SchemaKind::json, std::string(schema), *compiled});
    each_offer(known, [&](const auto& offer) { check_json(offer, arguments); });
  }
  auto avro = bus::AvroSchema::parse(schema);
  if (avro) {
    const auto known = std::make_shared<const bus::RegisteredSchema>(bus::RegisteredSchema{
        7, bus::SchemaKind::avro, (*avro)->json_schema(), nullptr, {}, *avro});
    each_offer(known, [&](const auto& offer) { check_avro(offer, arguments); });
  }
  return 0;
}
