#include "upstreams/kafka_offer.h"

#include <fmt/format.h>

#include "bus/correlation.h"
#include "bus/framing.h"
#include "json/read.h"
#include "json/schema_move.h"
#include "json/write.h"

namespace patchbay::upstreams {
namespace {

constexpr std::string_view kAnything = R"({"type":"object"})";
constexpr std::string_view kPayload = "payload";

// Takes objects, and nothing else that matters here.
bool is_object_schema(std::string_view schema) {
  const auto type = json::member(schema, "type");
  return type ? *type == "\"object\"" : json::member(schema, "properties").has_value();
}

std::optional<std::string_view> property_schema(std::string_view schema, std::string_view name) {
  return json::member(json::member(schema, "properties").value_or("{}"), name);
}

// The schema of a property as one of its own: what it may refer to comes along.
std::string lifted(std::string_view schema, std::string_view part) {
  std::string out;
  json::Object object(out);
  json::each_member(part,
                    [&](std::string_view key, std::string_view raw) { object.raw(key, raw); });
  for (const std::string_view shared : {"$schema", "definitions", "$defs"}) {
    const auto found = json::member(schema, shared);
    if (found && !json::member(part, shared)) object.raw(shared, *found);
  }
  object.end();
  return out;
}

// The list of required names without one.
std::string without_name(std::string_view list, std::string_view name) {
  std::string out = "[";
  json::each_element(list, [&](std::string_view raw) {
    if (json::as_string(raw) == name) return;
    if (out.size() > 1) out += ',';
    out += raw;
  });
  return out + "]";
}

// The schema as somebody sees it who does not give the property `name`.
std::string without_property(std::string_view schema, std::string_view name) {
  std::string out;
  json::Object object(out);
  json::each_member(schema, [&](std::string_view key, std::string_view raw) {
    if (key == "required") return object.raw(key, without_name(raw, name));
    if (key != "properties") return object.raw(key, raw);
    object.key(key);
    json::Object rest(out);
    json::each_member(raw, [&](std::string_view property, std::string_view of) {
      if (property != name) rest.raw(property, of);
    });
  });
  object.end();
  return out;
}

std::string input_schema(const KafkaOffer& offer) {
  if (!offer.schemas.request) return std::string(kAnything);
  const std::string& schema = offer.schemas.request->text;
  switch (offer.shape) {
    case RequestShape::envelope:
      return lifted(schema, *property_schema(schema, kPayload));
    case RequestShape::wrapped:
      return fmt::format(R"({{"type":"object","properties":{{"value":{}}},"required":["value"]}})",
                         json::moved_schema(schema, "#/properties/value", offer.registration.name));
    case RequestShape::plain:
      break;
  }
  const auto& field = offer.registration.correlation_field;
  return offer.copies_id ? without_property(schema, field) : schema;
}

// What a reply holds once its envelope is off; empty if it promises no object.
std::string output_schema(const KafkaOffer& offer) {
  if (!offer.schemas.response) return {};
  const std::string& schema = offer.schemas.response->text;
  const auto payload = property_schema(schema, kPayload);
  if (payload && json::string_member(*payload, "patchbay.result") == "mcp") {
    const auto structured = property_schema(*payload, "structuredContent");
    return structured ? std::string(*structured) : "";
  }
  if (payload && property_schema(schema, "status")) {
    return is_object_schema(*payload) ? lifted(schema, *payload) : "";
  }
  return is_object_schema(schema) ? schema : "";
}

bool is_template(std::string_view url) { return url.find('{') != std::string_view::npos; }

// MCP wants `type` to be said of a tool's schemas.
std::string with_type(std::string schema) {
  if (json::member(schema, "type")) return schema;
  return json::with_member(schema, "type", "\"object\"");
}

}  // namespace

KafkaOffer make_offer(bus::Registration registration, AgentSchemas schemas, bool from_topic) {
  KafkaOffer offer{std::move(registration), std::move(schemas)};
  offer.from_topic = offer.registration.is_resource && from_topic;
  if (!offer.schemas.request) return offer;
  const std::string& schema = offer.schemas.request->text;
  const auto payload = property_schema(schema, kPayload);
  if (payload && is_object_schema(*payload)) {
    offer.shape = RequestShape::envelope;
  } else if (!is_object_schema(schema)) {
    offer.shape = RequestShape::wrapped;
  }
  offer.copies_id = offer.shape != RequestShape::wrapped &&
                    property_schema(schema, offer.registration.correlation_field).has_value();
  return offer;
}

mcp::ItemKind kind_of(const KafkaOffer& offer) {
  if (!offer.registration.is_resource) return mcp::ItemKind::tool;
  return is_template(offer.registration.url) ? mcp::ItemKind::resource_template
                                             : mcp::ItemKind::resource;
}

mcp::Item item_of(const KafkaOffer& offer) {
  const bus::Registration& of = offer.registration;
  mcp::Item item{of.is_resource ? of.url : of.name, ""};
  json::Object object(item.definition);
  object.raw("name", json::quote(of.name));
  if (of.is_resource) {
    object.raw(mcp::info(kind_of(offer)).key, json::quote(of.url));
  }
  object.raw("description", json::quote(of.description));
  if (of.is_resource) {
    object.raw("mimeType", json::quote(of.mime_type));
  } else {
    object.raw("inputSchema", with_type(input_schema(offer)));
    const auto output = output_schema(offer);
    if (!output.empty()) object.raw("outputSchema", with_type(output));
  }
  object.end();
  return item;
}

std::string request_key(const KafkaOffer& offer, std::string_view id) {
  auto key = bus::key_of(offer.registration.correlation_field, id);
  return offer.schemas.key ? bus::frame(offer.schemas.key->id, key) : key;
}

std::string request_value(const KafkaOffer& offer, std::string_view arguments, std::string_view id,
                          int index) {
  std::string value;
  if (offer.shape == RequestShape::wrapped) {
    value = json::member(arguments, "value").value_or("null");
  } else if (offer.shape == RequestShape::plain && !offer.copies_id) {
    value = arguments;
  } else {
    json::Object object(value);
    if (offer.copies_id) object.raw(offer.registration.correlation_field, json::quote(id));
    if (offer.shape == RequestShape::envelope) {
      object.raw("requestIndex", std::to_string(index));
      object.raw(kPayload, arguments);
    } else {
      json::each_member(arguments, [&](std::string_view key, std::string_view raw) {
        if (key != offer.registration.correlation_field) object.raw(key, raw);
      });
    }
    object.end();
  }
  return offer.schemas.request ? bus::frame(offer.schemas.request->id, value) : value;
}

}  // namespace patchbay::upstreams
