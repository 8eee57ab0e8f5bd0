#include "upstreams/kafka/offer.h"

#include <fmt/format.h>

#include "bus/correlation.h"
#include "json/read.h"
#include "json/schema/embed.h"
#include "json/write.h"

namespace patchbay::upstreams {
namespace {

constexpr std::string_view kAnything = R"({"type":"object"})";
constexpr std::string_view kPayload = "payload";
constexpr std::string_view kIndex = "requestIndex";

constexpr int kMostSteps = 8;  // References that are followed from a schema.

using Part = std::optional<std::string_view>;

// The target of `#/definitions/…` or any other such path.
Part referred(std::string_view root, std::string_view path) {
  if (!path.starts_with("#/")) return std::nullopt;
  Part at = root;
  for (path.remove_prefix(1); at && !path.empty();) {
    path.remove_prefix(1);  // The slash.
    const auto end = std::min(path.find('/'), path.size());
    at = json::member(*at, path.substr(0, end));
    path.remove_prefix(end);
  }
  return at;
}

// The only alternative that is not null, as Flink writes nullable values; nothing if there are
// several.
Part not_null(std::string_view alternatives) {
  Part only;
  int others = 0;
  json::each_element(alternatives, [&](std::string_view one) {
    if (json::string_member(one, "type") == "null") return;
    only = one;
    ++others;
  });
  return others == 1 ? only : std::nullopt;
}

// The part of a schema that describes an object: itself, or its reference, or, if it is nullable,
// the other alternative. Nothing if it does not accept objects.
Part object_part(std::string_view root, std::string_view schema, bool may_be_null) {
  Part at = schema;
  for (int steps = 0; at && steps < kMostSteps; ++steps) {
    if (const auto path = json::string_member(*at, "$ref")) {
      at = referred(root, *path);
      continue;
    }
    auto alternatives = json::member(*at, "oneOf");
    if (!alternatives) alternatives = json::member(*at, "anyOf");
    const auto type = json::member(*at, "type");
    if (alternatives && !type) {
      at = may_be_null ? not_null(*alternatives) : std::nullopt;
      continue;
    }
    const bool fits = !type
                          ? json::member(*at, "properties").has_value()
                          : *type == "\"object\"" || (may_be_null && type->contains("\"object\""));
    return fits ? at : std::nullopt;
  }
  return std::nullopt;
}

std::optional<std::string_view> property_schema(std::string_view schema, std::string_view name) {
  return json::member(json::member(schema, "properties").value_or("{}"), name);
}

// The schema of a property as a separate schema, with the definitions that it may refer to.
std::string lifted(std::string_view schema, std::string_view part) {
  std::string out;
  json::Object object(out);
  json::each_member(part, [&](std::string_view key, std::string_view raw) {
    // If an object is expected, nothing else is accepted.
    object.raw(key, key == "type" && raw.contains("\"object\"") ? "\"object\"" : raw);
  });
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

// The schema without the property `name`.
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

// The schema of an object whose only member `value` has the schema `schema`.
std::string wrapped_schema(std::string_view schema, const std::string& name) {
  return fmt::format(R"({{"type":"object","properties":{{"value":{}}},"required":["value"]}})",
                     json::moved_schema(schema, "#/properties/value", name));
}

std::string input_schema(const KafkaOffer& offer) {
  if (!offer.schemas.request) return std::string(kAnything);
  const std::string& schema = offer.schemas.request->text;
  const std::string& name = offer.registration.name;
  if (offer.shape == RequestShape::wrapped) return wrapped_schema(schema, name);
  const std::string_view body = object_part(schema, schema, true).value_or(schema);
  if (offer.shape == RequestShape::plain) {
    const std::string whole = body.size() == schema.size() ? schema : lifted(schema, body);
    const auto& field = offer.registration.correlation_field;
    return offer.copies_id ? without_property(whole, field) : whole;
  }
  const std::string_view payload = property_schema(body, kPayload).value_or(kAnything);
  if (offer.shape == RequestShape::wrapped_envelope) {
    return wrapped_schema(lifted(schema, payload), name);
  }
  return lifted(schema, object_part(schema, payload, true).value_or(payload));
}

// The schema of a reply without its envelope; empty if it promises no object.
std::string output_schema(const KafkaOffer& offer) {
  if (!offer.schemas.response) return {};
  const std::string& schema = offer.schemas.response->text;
  const Part body = object_part(schema, schema, false);
  if (!body) return {};
  const auto payload = property_schema(*body, kPayload);
  if (payload && json::string_member(*payload, "patchbay.result") == "mcp") {
    const auto structured = property_schema(*payload, "structuredContent");
    return structured ? std::string(*structured) : "";
  }
  if (!payload || !property_schema(*body, "status")) {
    return body->size() == schema.size() ? schema : lifted(schema, *body);
  }
  const Part inside = object_part(schema, *payload, false);
  return inside ? lifted(schema, *inside) : "";
}

bool is_template(std::string_view url) { return url.find('{') != std::string_view::npos; }

// MCP requires `type` in a tool's schemas.
std::string with_type(std::string schema) {
  if (json::member(schema, "type")) return schema;
  return json::with_member(schema, "type", "\"object\"");
}

}  // namespace

KafkaOffer make_offer(bus::Registration registration, AgentSchemas schemas, bool from_topic) {
  KafkaOffer offer{std::move(registration), std::move(schemas)};
  offer.from_topic = offer.registration.is_resource && from_topic;
  if (const auto& key = offer.schemas.key; key && key->avro) {
    offer.bare_key = !object_part(key->text, key->text, true);
  }
  if (!offer.schemas.request) return offer;
  const std::string& schema = offer.schemas.request->text;
  const Part body = object_part(schema, schema, true);
  if (!body) {
    offer.shape = RequestShape::wrapped;
    return offer;
  }
  // Avro has no fields for members outside the schema.
  const bool has_index = !offer.schemas.request->avro || property_schema(*body, kIndex);
  if (const auto payload = property_schema(*body, kPayload); payload && has_index) {
    const bool anything = !json::member(*payload, "type") && !json::member(*payload, "$ref") &&
                          !json::member(*payload, "oneOf") && !json::member(*payload, "anyOf");
    offer.shape = anything || object_part(schema, *payload, true) ? RequestShape::envelope
                                                                  : RequestShape::wrapped_envelope;
  }
  offer.copies_id = property_schema(*body, offer.registration.correlation_field).has_value();
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

Result<std::string> request_key(const KafkaOffer& offer, std::string_view id) {
  if (offer.bare_key) return bus::written_by(offer.schemas.key, json::quote(id));
  return bus::written_by(offer.schemas.key, bus::key_of(offer.registration.correlation_field, id));
}

Result<std::string> request_value(const KafkaOffer& offer, std::string_view arguments,
                                  std::string_view id, int index) {
  std::string value;
  const bool wraps =
      offer.shape == RequestShape::wrapped || offer.shape == RequestShape::wrapped_envelope;
  if (wraps) arguments = json::member(arguments, "value").value_or(arguments);
  if (offer.shape == RequestShape::wrapped) {
    value = arguments;
  } else if (offer.shape == RequestShape::plain && !offer.copies_id) {
    value = arguments;
  } else {
    json::Object object(value);
    if (offer.copies_id) object.raw(offer.registration.correlation_field, json::quote(id));
    if (offer.shape != RequestShape::plain) {
      object.raw(kIndex, std::to_string(index));
      object.raw(kPayload, arguments);
    } else {
      json::each_member(arguments, [&](std::string_view key, std::string_view raw) {
        if (key != offer.registration.correlation_field) object.raw(key, raw);
      });
    }
    object.end();
  }
  return bus::written_by(offer.schemas.request, std::move(value));
}

}  // namespace patchbay::upstreams
