#include "upstreams/openapi/schema.h"

#include <algorithm>
#include <array>

#include "json/read.h"
#include "json/write.h"
#include "upstreams/openapi/names.h"

namespace patchbay::upstreams {
namespace {

using json::NodeId;
using json::Type;

constexpr std::size_t kMostDefinitionName = 80;  // Bytes of a name in `$defs`.

// Keywords whose value is a schema, or a list of them.
constexpr std::array<std::string_view, 16> kSchemas{"items",
                                                    "additionalProperties",
                                                    "not",
                                                    "contains",
                                                    "propertyNames",
                                                    "if",
                                                    "then",
                                                    "else",
                                                    "allOf",
                                                    "anyOf",
                                                    "oneOf",
                                                    "prefixItems",
                                                    "unevaluatedItems",
                                                    "unevaluatedProperties",
                                                    "contentSchema",
                                                    "additionalItems"};
// Keywords whose value is an object of schemas under arbitrary names.
constexpr std::array<std::string_view, 3> kNamed{"properties", "patternProperties",
                                                 "dependentSchemas"};
// Keywords that JSON Schema does not know, or that would mean something else elsewhere. Definitions
// are found by reference.
constexpr std::array<std::string_view, 16> kDropped{
    "discriminator", "xml",         "externalDocs",   "nullable",    "example",  "$id",
    "$schema",       "$anchor",     "$dynamicAnchor", "$dynamicRef", "$comment", "$vocabulary",
    "$defs",         "definitions", "readOnly",       "writeOnly"};
// Keywords that stay outside a list of choices when null is added as one more choice.
constexpr std::array<std::string_view, 4> kCombining{"$ref", "allOf", "anyOf", "oneOf"};

bool is_one_of(const auto& keywords, std::string_view key) {
  return std::ranges::find(keywords, key) != keywords.end();
}

}  // namespace

std::string OpenapiSchemas::convert(NodeId at) {
  std::string out;
  write(out, at);
  return out;
}

std::string OpenapiSchemas::definitions() {
  if (names_.empty()) return {};
  std::string out;
  json::Object object(out);
  while (!pending_.empty()) {
    const NodeId next = pending_.back();
    pending_.pop_back();
    object.key(names_.at(next));
    write(out, next);
  }
  object.end();
  return out;
}

void OpenapiSchemas::raw(std::string& out, NodeId at) {
  written_ += document_[at].size;
  if (!too_large()) out += json::on_one_line(document_.index().raw(at));
}

// As deep as the document is, which its reader bounds.
void OpenapiSchemas::write(std::string& out, NodeId at) {
  written_ += 8;
  const Type type = document_.type(at);
  if (type == Type::boolean) {
    raw(out, at);
  } else if (type != Type::object || too_large()) {
    out += "true";
  } else {
    write_object(out, at);
  }
}

void OpenapiSchemas::write_object(std::string& out, NodeId at) {
  const bool nullable = document_.flag(at, "nullable");
  const bool combined = std::ranges::any_of(
      kCombining, [&](std::string_view key) { return document_.find(at, key).has_value(); });
  // Without a type, null is one more choice.
  const bool wraps = nullable && combined && !document_.find(at, "type");
  if (wraps) out += R"({"anyOf":[)";
  out += '{';
  const std::size_t begin = out.size();
  if (!document_.string(at, "$ref").empty()) write_reference(out, at);
  // In 3.0 nothing is allowed beside a reference; existing members are used anyway.
  document_.each(at, [&](NodeId keyword) {
    if (too_large()) return;
    const std::size_t before = out.size();
    if (before > begin) out += ',';
    const std::size_t separated = out.size();
    write_keyword(out, at, keyword, nullable);
    if (out.size() == separated) out.resize(before);
  });
  out += '}';
  if (wraps) out += R"(,{"type":"null"}]})";
}

// Appends `"key":value`, or nothing.
void OpenapiSchemas::write_keyword(std::string& out, NodeId schema, NodeId keyword, bool nullable) {
  const std::string_view key = document_.index().key(keyword);
  const Type type = document_.type(keyword);
  const auto name = [&](std::string_view as) {
    json::append_quoted(out, as);
    out += ':';
    written_ += as.size() + 4;
  };
  if (key == "$ref" || key.starts_with("x-")) return;
  if (key == "example") {
    if (document_.find(schema, "examples")) return;
    name("examples");
    out += '[';
    raw(out, keyword);
    out += ']';
  } else if (is_one_of(kDropped, key)) {
    if (key == "$dynamicRef" && problem_.empty()) problem_ = "$dynamicRef is not followed";
  } else if (key == "type") {
    write_type(out, keyword, nullable);
  } else if (key == "enum" && type == Type::array) {
    write_enum(out, keyword, nullable);
  } else if (key == "required") {
    write_required(out, schema, keyword);
  } else if (key == "format") {
    write_string_hints(out, schema);
  } else if (key == "exclusiveMinimum" || key == "exclusiveMaximum") {
    const auto bound = document_.find(schema, key == "exclusiveMinimum" ? "minimum" : "maximum");
    const NodeId value = type == Type::boolean && bound ? *bound : keyword;
    if (document_.type(value) != Type::number || document_.index().raw(keyword) == "false") return;
    name(key);
    raw(out, value);
  } else if (key == "minimum" || key == "maximum") {
    // Expressed by the exclusive bound.
    if (document_.flag(schema, key == "minimum" ? "exclusiveMinimum" : "exclusiveMaximum")) return;
    name(key);
    raw(out, keyword);
  } else if (key == "contentMediaType") {
    name(key);
    raw(out, keyword);
    if (use_ == SchemaUse::sent && is_binary(schema)) out += R"(,"contentEncoding":"base64")";
  } else if (is_one_of(kNamed, key) && type == Type::object) {
    name(key);
    write_schemas(out, keyword, key == "properties");
  } else if (is_one_of(kSchemas, key)) {
    name(key);
    if (type == Type::array) {
      write_schemas(out, keyword, false);
    } else {
      write(out, keyword);
    }
  } else {
    name(key);
    raw(out, keyword);
  }
}

// A list of schemas, or schemas by name.
void OpenapiSchemas::write_schemas(std::string& out, NodeId at, bool properties) {
  const bool named = document_.type(at) == Type::object;
  std::string_view comma = "";
  out += named ? '{' : '[';
  document_.each(at, [&](NodeId child) {
    if (too_large() || (properties && is_left_out(child))) return;
    out += std::exchange(comma, ",");
    if (named) {
      json::append_quoted(out, document_.index().key(child));
      out += ':';
      written_ += document_[child].key_size;
    }
    write(out, child);
  });
  out += named ? '}' : ']';
}

void OpenapiSchemas::write_type(std::string& out, NodeId type, bool nullable) {
  if (document_.type(type) != Type::string && document_.type(type) != Type::array) return;
  out += R"("type":)";
  const bool extends = nullable && document_.type(type) == Type::string;
  if (extends) out += '[';
  raw(out, type);
  if (extends) out += R"(,"null"])";
}

void OpenapiSchemas::write_enum(std::string& out, NodeId list, bool nullable) {
  out += R"("enum":)";
  raw(out, list);
  bool has_null = false;
  document_.each(list, [&](NodeId one) { has_null |= document_.type(one) == Type::null; });
  if (!nullable || has_null || !out.ends_with(']')) return;
  out.pop_back();
  out += document_[list].count > 0 ? ",null]" : "null]";
}

// Without the properties that this direction leaves out.
void OpenapiSchemas::write_required(std::string& out, NodeId schema, NodeId list) {
  if (document_.type(list) != Type::array) return;
  const auto properties = document_.find(schema, "properties");
  std::string_view comma = "";
  out += R"("required":[)";
  document_.each(list, [&](NodeId one) {
    if (document_.type(one) != Type::string) return;
    std::string scratch;
    const auto name = document_.index().text(one, scratch);
    const auto property = properties ? document_.find(*properties, name) : std::nullopt;
    if (property && is_left_out(*property)) return;
    out += std::exchange(comma, ",");
    raw(out, one);
  });
  out += ']';
}

// Bytes are base64: the format of 3.0 has its own name for it.
void OpenapiSchemas::write_string_hints(std::string& out, NodeId schema) {
  const auto format = document_.string(schema, "format");
  if (format == "byte" || (format == "binary" && use_ == SchemaUse::sent)) {
    if (!document_.find(schema, "contentEncoding")) out += R"("contentEncoding":"base64")";
    return;
  }
  if (format.empty()) return;
  out += R"("format":)";
  json::append_quoted(out, format);
  written_ += format.size();
}

void OpenapiSchemas::write_reference(std::string& out, NodeId schema) {
  auto target = document_.resolve(schema);
  if (!target) {
    if (problem_.empty()) problem_ = target.error().message;
    return;
  }
  const auto& name = name_of(*target, document_.string(schema, "$ref"));
  out += R"("$ref":)";
  json::append_quoted(out, "#/$defs/" + name);
  written_ += name.size() + 16;
}

const std::string& OpenapiSchemas::name_of(NodeId target, std::string_view reference) {
  auto [found, fresh] = names_.try_emplace(target);
  if (fresh) {
    const std::string wanted =
        fit_name(reference.substr(reference.rfind('/') + 1), kMostDefinitionName, "schema");
    found->second = unique_name(wanted, taken_);
    pending_.push_back(target);
  }
  return found->second;
}

bool OpenapiSchemas::is_left_out(NodeId property) const {
  const std::string_view flag = use_ == SchemaUse::sent ? "readOnly" : "writeOnly";
  if (document_.flag(property, flag)) return true;
  const auto target = document_.resolve(property);
  return target && document_.flag(*target, flag);
}

bool OpenapiSchemas::is_object(NodeId at, std::set<NodeId>& seen) const {
  const auto target = document_.resolve(at);
  if (!target || !seen.insert(*target).second) return false;
  if (document_.flag(*target, "nullable")) return false;
  if (document_.find(*target, "type")) return document_.string(*target, "type") == "object";
  if (document_.find(*target, "properties")) return true;
  const auto all = document_.find(*target, "allOf");
  bool found = false;
  if (all) document_.each(*all, [&](NodeId part) { found = found || is_object(part, seen); });
  return found;
}

bool OpenapiSchemas::is_binary(NodeId at) const {
  const auto target = document_.resolve(at);
  if (!target) return false;
  if (document_.string(*target, "format") == "binary") return true;
  // 3.1: a media type of bytes, and no encoding in which the text would already be.
  const auto media = document_.string(*target, "contentMediaType");
  return !media.empty() && !media.starts_with("text/") && !media.ends_with("json") &&
         !document_.find(*target, "contentEncoding");
}

}  // namespace patchbay::upstreams
