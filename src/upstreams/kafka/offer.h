// A KafkaOffer is the offer of an agent once its schemas are known: a tool, a resource or a
// resource template, and how a request to it is encoded.
//
// Constant; shared by all workers.
#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "bus/registration.h"
#include "bus/schema_registry.h"
#include "mcp/items.h"

namespace patchbay::upstreams {

using AgentSchema = std::shared_ptr<const bus::RegisteredSchema>;  // Null: there is none.

struct AgentSchemas {
  AgentSchema key;
  AgentSchema request;
  AgentSchema response;

  bool operator==(const AgentSchemas&) const = default;
};

// How arguments become the value of a request.
enum class RequestShape : std::uint8_t {
  plain,             // The arguments are the value.
  envelope,          // {"requestIndex":…,"payload":…}
  wrapped,           // The value is not an object: it is the argument `value`.
  wrapped_envelope,  // The payload is not an object: it is the argument `value`.
};

struct KafkaOffer {
  bus::Registration registration;
  AgentSchemas schemas;
  RequestShape shape = RequestShape::plain;
  bool bare_key = false;    // The key is the id itself, as its Avro schema requires.
  bool copies_id = false;   // The value has a member for the id too.
  bool from_topic = false;  // A resource that is the latest record of its topic.
};

KafkaOffer make_offer(bus::Registration registration, AgentSchemas schemas, bool from_topic);

// Its definition in a list.
mcp::ItemKind kind_of(const KafkaOffer& offer);
mcp::Item item_of(const KafkaOffer& offer);

// Key and value of a request, framed where there are schemas. `arguments` is raw JSON of an object;
// `index` counts the requests of one call, from 0. Arguments that do not match an Avro schema are
// an error.
Result<std::string> request_key(const KafkaOffer& offer, std::string_view id);
Result<std::string> request_value(const KafkaOffer& offer, std::string_view arguments,
                                  std::string_view id, int index);

}  // namespace patchbay::upstreams
