#include "upstreams/openapi/tool.h"

#include <fmt/format.h>

#include <algorithm>

#include "core/text.h"
#include "json/read.h"
#include "json/write.h"
#include "upstreams/openapi/names.h"
#include "upstreams/openapi/schema.h"

namespace patchbay::upstreams {
namespace {

using json::NodeId;
using json::Type;

constexpr std::size_t kMostToolName = 64;
constexpr std::size_t kMostTitle = 200;
constexpr std::size_t kMostDescription = 4096;
constexpr std::string_view kBytesSchema = R"({"type":"string","contentEncoding":"base64"})";
constexpr std::string_view kTextSchema = R"({"type":"string"})";

// Calls `visit(media)` for each media type of each success response.
template <class Visit>
void each_good_media(const OpenapiDocument& document, NodeId operation, Visit visit) {
  const auto responses = document.find(operation, "responses");
  if (!responses || document.type(*responses) != Type::object) return;
  document.each(*responses, [&](NodeId response) {
    if (!document.index().key(response).starts_with('2')) return;
    const auto target = document.resolve(response);
    const auto content = target ? document.find(*target, "content") : std::nullopt;
    if (content && document.type(*content) == Type::object) document.each(*content, visit);
  });
}

// The schema of every good answer, if they all are the same JSON object; else nothing.
std::optional<NodeId> result_schema(const OpenapiDocument& document, NodeId operation) {
  const auto responses = document.find(operation, "responses");
  std::optional<NodeId> schema;
  bool same = responses.has_value();
  std::size_t good = 0;
  std::size_t described = 0;
  if (responses) {
    document.each(*responses, [&](NodeId response) {
      good += document.index().key(response).starts_with('2') ? 1 : 0;
    });
  }
  each_good_media(document, operation, [&](NodeId media) {
    const auto found = document.find(media, "schema");
    if (!is_json_media(media_essence(document.index().key(media))) || !found) return;
    ++described;
    same = same && (!schema || document.index().raw(*schema) == document.index().raw(*found));
    schema = found;
  });
  return same && described == good && good > 0 ? schema : std::nullopt;
}

// With the description beside the schema first.
std::string annotated(std::string schema, std::string_view description, bool deprecated) {
  if (!schema.starts_with('{')) schema = "{}";
  if (deprecated) schema = json::with_member(schema, "deprecated", "true");
  if (!description.empty()) {
    schema = json::with_member(schema, "description",
                               json::quote(json::shortened(description, kMostDescription)));
  }
  return schema;
}

std::string body_schema(const OpenapiBody& body, OpenapiSchemas& schemas, bool described) {
  if (body.kind == BodyKind::bytes) return std::string(kBytesSchema);
  if (body.kind == BodyKind::text) return std::string(kTextSchema);
  return described && body.schema ? schemas.convert(*body.schema) : "{}";
}

// The schema of the arguments, with or without nested descriptions.
std::string arguments_schema(const OpenapiOperation& call, OpenapiSchemas& schemas,
                             bool described) {
  std::string properties;
  std::string required;
  {
    json::Object object(properties);
    const auto require = [&](std::string_view argument) {
      required += (required.empty() ? "" : ",") + json::quote(argument);
    };
    for (const auto& one : call.parameters) {
      auto schema = described && one.schema ? schemas.convert(*one.schema) : "{}";
      object.raw(one.argument, annotated(std::move(schema), one.description, one.deprecated));
      if (one.required) require(one.argument);
    }
    if (call.body.kind != BodyKind::none) {
      object.raw(call.body.argument, annotated(body_schema(call.body, schemas, described),
                                               call.body.description, false));
      if (call.body.required) require(call.body.argument);
    }
  }
  std::string out;
  json::Object schema(out);
  schema.raw("type", "\"object\"");
  schema.raw("properties", properties);
  if (!required.empty()) schema.raw("required", fmt::format("[{}]", required));
  schema.raw("additionalProperties", "false");
  if (const auto definitions = schemas.definitions(); !definitions.empty()) {
    schema.raw("$defs", definitions);
  }
  schema.end();
  return out;
}

// Empty if there is none, or none that can be listed.
std::string output_schema(const OpenapiDocument& document, NodeId operation, std::size_t most) {
  const auto at = result_schema(document, operation);
  OpenapiSchemas schemas(document, SchemaUse::received, most);
  if (!at || !schemas.is_object(*at)) return {};
  std::string schema = json::with_member(schemas.convert(*at), "type", "\"object\"");
  if (const auto definitions = schemas.definitions(); !definitions.empty()) {
    schema = json::with_member(schema, "$defs", definitions);
  }
  return schemas.too_large() || !schemas.problem().empty() ? std::string() : schema;
}

std::string_view annotations_of(std::string_view method) {
  if (method == "GET" || method == "HEAD" || method == "OPTIONS") {
    return R"({"readOnlyHint":true,"destructiveHint":false,"idempotentHint":true})";
  }
  if (method == "DELETE") {
    return R"({"readOnlyHint":false,"destructiveHint":true,"idempotentHint":true})";
  }
  if (method == "PUT") return R"({"readOnlyHint":false,"idempotentHint":true})";
  return R"({"readOnlyHint":false})";
}

}  // namespace

std::string tool_name(const OpenapiDocument& document, NodeId operation, std::string_view method,
                      std::string_view path) {
  const auto id = document.string(operation, "operationId");
  auto name = fit_name(id, kMostToolName, "");
  if (name.empty()) {
    name = fit_name(fmt::format("{} {}", ascii_lower(method), path), kMostToolName, "operation");
  }
  return name;
}

std::string description_of(const OpenapiDocument& document, NodeId operation) {
  auto text = document.string(operation, "description");
  if (text.empty()) text = document.string(operation, "summary");
  text = json::shortened(text, kMostDescription);
  if (document.flag(operation, "deprecated"))
    text = text.empty() ? "Deprecated." : "Deprecated. " + text;
  return text;
}

ToolDefinition define_tool(const OpenapiDocument& document, NodeId operation,
                           const OpenapiOperation& call, std::size_t most) {
  ToolDefinition made;
  OpenapiSchemas schemas(document, SchemaUse::sent, most);
  std::string arguments = arguments_schema(call, schemas, true);
  made.problem = schemas.problem();
  if (schemas.too_large()) {
    made.problem = "its arguments are too large to describe (`limits.max_schema_size`)";
    OpenapiSchemas none(document, SchemaUse::sent, most);
    arguments = arguments_schema(call, none, false);
  }
  json::Object tool(made.text);
  tool.raw("name", json::quote(call.name));
  if (const auto title = document.string(operation, "summary"); !title.empty()) {
    tool.raw("title", json::quote(json::shortened(title, kMostTitle)));
  }
  auto description = description_of(document, operation);
  if (description.empty()) description = fmt::format("{} {}", call.method, call.path);
  tool.raw("description", json::quote(description));
  tool.raw("inputSchema", arguments);
  if (const auto result = output_schema(document, operation, most); !result.empty()) {
    tool.raw("outputSchema", result);
  }
  tool.raw("annotations", annotations_of(call.method));
  tool.end();
  return made;
}

std::string promised_media(const OpenapiDocument& document, NodeId operation) {
  std::string best;
  each_good_media(document, operation, [&](NodeId media) {
    const auto essence = media_essence(document.index().key(media));
    if (essence.empty() || essence.find('*') != std::string::npos) return;
    if (best.empty() || (is_json_media(essence) && !is_json_media(best))) best = essence;
  });
  return best;
}

std::string accept_of(const OpenapiDocument& document, NodeId operation) {
  const auto best = promised_media(document, operation);
  return best.empty() ? "*/*" : best + ", */*;q=0.5";
}

}  // namespace patchbay::upstreams
