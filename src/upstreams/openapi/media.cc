// How a body is sent: which media type of the document, and the encoding of its fields.
#include <algorithm>

#include "upstreams/openapi/names.h"
#include "upstreams/openapi/parameters.h"
#include "upstreams/openapi/schema.h"

namespace patchbay::upstreams {
namespace {

using json::NodeId;
using json::Type;

struct Media {
  BodyKind kind = BodyKind::bytes;
  std::string content_type;
};

Media media_of(std::string_view key) {
  std::string essence = media_essence(key);
  if (essence == "*/*" || essence == "application/*") essence = "application/json";
  if (essence == "text/*") essence = "text/plain";
  if (essence.ends_with("/*")) essence = "application/octet-stream";
  const BodyKind kind = is_json_media(essence)                           ? BodyKind::json
                        : essence == "application/x-www-form-urlencoded" ? BodyKind::form
                        : essence == "multipart/form-data"               ? BodyKind::multipart
                        : is_text_media(essence)                         ? BodyKind::text
                                                                         : BodyKind::bytes;
  return {kind, std::move(essence)};
}

OpenapiField read_field(const OpenapiDocument& document, const OpenapiSchemas& schemas,
                        NodeId property, std::optional<NodeId> encodings) {
  OpenapiField field;
  field.name = document.index().key(property);
  const auto target = document.resolve(property);
  const auto items = target ? document.find(*target, "items") : std::nullopt;
  field.binary = schemas.is_binary(property) || (items && schemas.is_binary(*items));
  if (target && field.binary) {
    field.content_type = media_essence(document.string(*target, "contentMediaType"));
  }
  const auto encoding = encodings ? document.find(*encodings, field.name) : std::nullopt;
  if (!encoding) return field;
  const auto type = media_essence(document.string(*encoding, "contentType"));
  if (!type.empty() && !type.ends_with("/*")) field.content_type = type;
  if (document.find(*encoding, "style") || document.find(*encoding, "explode")) {
    field.form = read_form(document, *encoding, ParameterLocation::query);
  }
  return field;
}

// Of the schema itself and of its allOf parts.
void read_fields(const OpenapiDocument& document, NodeId schema, std::optional<NodeId> encodings,
                 std::set<NodeId>& seen, std::vector<OpenapiField>& fields) {
  const auto target = document.resolve(schema);
  if (!target || !seen.insert(*target).second) return;
  const OpenapiSchemas schemas(document, SchemaUse::sent, 0);
  if (const auto properties = document.find(*target, "properties")) {
    document.each(*properties, [&](NodeId property) {
      fields.push_back(read_field(document, schemas, property, encodings));
    });
  }
  if (const auto all = document.find(*target, "allOf")) {
    document.each(*all, [&](NodeId part) { read_fields(document, part, encodings, seen, fields); });
  }
}

}  // namespace

Result<OpenapiBody> read_body(const OpenapiDocument& document, NodeId operation) {
  OpenapiBody body;
  const auto listed = document.find(operation, "requestBody");
  if (!listed) return body;
  const auto at = document.resolve(*listed);
  if (!at) return at.error();
  const auto content = document.find(*at, "content");
  if (!content || document.type(*content) != Type::object) return body;
  std::optional<NodeId> chosen;
  document.each(*content, [&](NodeId one) {
    auto media = media_of(document.index().key(one));
    if (media.content_type.empty() || (chosen && media.kind >= body.kind)) return;
    chosen = one;
    body.kind = media.kind;
    body.content_type = std::move(media.content_type);
  });
  if (!chosen) return body;
  body.required = document.flag(*at, "required");
  body.description = document.string(*at, "description");
  body.schema = document.find(*chosen, "schema");
  if (body.schema && (body.kind == BodyKind::form || body.kind == BodyKind::multipart)) {
    std::set<NodeId> seen;
    read_fields(document, *body.schema, document.find(*chosen, "encoding"), seen, body.fields);
  }
  return body;
}

}  // namespace patchbay::upstreams
