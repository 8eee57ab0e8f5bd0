#include "json/schema/metaschemas.h"

namespace patchbay::json {
namespace {

// clang-format off
constexpr Metaschema kMetaschemas[] = {
{kMetaschema07, R"({
  "$schema": "http://json-schema.org/draft-07/schema#",
  "$id": "http://json-schema.org/draft-07/schema#",
  "definitions": {
    "schemaArray": { "type": "array", "minItems": 1, "items": { "$ref": "#" } },
    "nonNegativeInteger": { "type": "integer", "minimum": 0 },
    "nonNegativeIntegerDefault0": { "$ref": "#/definitions/nonNegativeInteger" },
    "simpleTypes": { "enum": ["array", "boolean", "integer", "null", "number", "object", "string"] },
    "stringArray": { "type": "array", "items": { "type": "string" }, "uniqueItems": true }
  },
  "type": ["object", "boolean"],
  "properties": {
    "$id": { "type": "string", "format": "uri-reference" },
    "$schema": { "type": "string", "format": "uri" },
    "$ref": { "type": "string", "format": "uri-reference" },
    "$comment": { "type": "string" },
    "title": { "type": "string" },
    "description": { "type": "string" },
    "default": true,
    "readOnly": { "type": "boolean" },
    "writeOnly": { "type": "boolean" },
    "examples": { "type": "array", "items": true },
    "multipleOf": { "type": "number", "exclusiveMinimum": 0 },
    "maximum": { "type": "number" },
    "exclusiveMaximum": { "type": "number" },
    "minimum": { "type": "number" },
    "exclusiveMinimum": { "type": "number" },
    "maxLength": { "$ref": "#/definitions/nonNegativeInteger" },
    "minLength": { "$ref": "#/definitions/nonNegativeInteger" },
    "pattern": { "type": "string", "format": "regex" },
    "additionalItems": { "$ref": "#" },
    "items": { "anyOf": [ { "$ref": "#" }, { "$ref": "#/definitions/schemaArray" } ] },
    "maxItems": { "$ref": "#/definitions/nonNegativeInteger" },
    "minItems": { "$ref": "#/definitions/nonNegativeInteger" },
    "uniqueItems": { "type": "boolean" },
    "contains": { "$ref": "#" },
    "maxProperties": { "$ref": "#/definitions/nonNegativeInteger" },
    "minProperties": { "$ref": "#/definitions/nonNegativeInteger" },
    "required": { "$ref": "#/definitions/stringArray" },
    "additionalProperties": { "$ref": "#" },
    "definitions": { "type": "object", "additionalProperties": { "$ref": "#" } },
    "properties": { "type": "object", "additionalProperties": { "$ref": "#" } },
    "patternProperties": {
      "type": "object", "additionalProperties": { "$ref": "#" }, "propertyNames": { "format": "regex" }
    },
    "dependencies": {
      "type": "object",
      "additionalProperties": { "anyOf": [ { "$ref": "#" }, { "$ref": "#/definitions/stringArray" } ] }
    },
    "propertyNames": { "$ref": "#" },
    "const": true,
    "enum": { "type": "array", "items": true },
    "type": {
      "anyOf": [
        { "$ref": "#/definitions/simpleTypes" },
        { "type": "array", "items": { "$ref": "#/definitions/simpleTypes" }, "minItems": 1, "uniqueItems": true }
      ]
    },
    "format": { "type": "string" },
    "contentMediaType": { "type": "string" },
    "contentEncoding": { "type": "string" },
    "if": { "$ref": "#" },
    "then": { "$ref": "#" },
    "else": { "$ref": "#" },
    "allOf": { "$ref": "#/definitions/schemaArray" },
    "anyOf": { "$ref": "#/definitions/schemaArray" },
    "oneOf": { "$ref": "#/definitions/schemaArray" },
    "not": { "$ref": "#" }
  }
})"},
{kMetaschema2020, R"({
  "$schema": "https://json-schema.org/draft/2020-12/schema",
  "$id": "https://json-schema.org/draft/2020-12/schema",
  "$vocabulary": {
    "https://json-schema.org/draft/2020-12/vocab/core": true,
    "https://json-schema.org/draft/2020-12/vocab/applicator": true,
    "https://json-schema.org/draft/2020-12/vocab/unevaluated": true,
    "https://json-schema.org/draft/2020-12/vocab/validation": true,
    "https://json-schema.org/draft/2020-12/vocab/meta-data": true,
    "https://json-schema.org/draft/2020-12/vocab/format-annotation": true,
    "https://json-schema.org/draft/2020-12/vocab/content": true
  },
  "$dynamicAnchor": "meta",
  "allOf": [
    { "$ref": "meta/core" },
    { "$ref": "meta/applicator" },
    { "$ref": "meta/unevaluated" },
    { "$ref": "meta/validation" },
    { "$ref": "meta/meta-data" },
    { "$ref": "meta/format-annotation" },
    { "$ref": "meta/content" }
  ],
  "type": ["object", "boolean"],
  "properties": {
    "definitions": { "type": "object", "additionalProperties": { "$dynamicRef": "#meta" } },
    "dependencies": {
      "type": "object",
      "additionalProperties": {
        "anyOf": [ { "$dynamicRef": "#meta" }, { "$ref": "meta/validation#/$defs/stringArray" } ]
      }
    },
    "$recursiveAnchor": { "$ref": "meta/core#/$defs/anchorString" },
    "$recursiveRef": { "$ref": "meta/core#/$defs/uriReferenceString" }
  }
})"},
{"https://json-schema.org/draft/2020-12/meta/core", R"({
  "$schema": "https://json-schema.org/draft/2020-12/schema",
  "$id": "https://json-schema.org/draft/2020-12/meta/core",
  "$dynamicAnchor": "meta",
  "type": ["object", "boolean"],
  "properties": {
    "$id": { "$ref": "#/$defs/uriReferenceString", "pattern": "^[^#]*#?$" },
    "$schema": { "$ref": "#/$defs/uriString" },
    "$ref": { "$ref": "#/$defs/uriReferenceString" },
    "$anchor": { "$ref": "#/$defs/anchorString" },
    "$dynamicRef": { "$ref": "#/$defs/uriReferenceString" },
    "$dynamicAnchor": { "$ref": "#/$defs/anchorString" },
    "$vocabulary": {
      "type": "object",
      "propertyNames": { "$ref": "#/$defs/uriString" },
      "additionalProperties": { "type": "boolean" }
    },
    "$comment": { "type": "string" },
    "$defs": { "type": "object", "additionalProperties": { "$dynamicRef": "#meta" } }
  },
  "$defs": {
    "anchorString": { "type": "string", "pattern": "^[A-Za-z_][-A-Za-z0-9._]*$" },
    "uriString": { "type": "string", "format": "uri" },
    "uriReferenceString": { "type": "string", "format": "uri-reference" }
  }
})"},
{"https://json-schema.org/draft/2020-12/meta/applicator", R"({
  "$schema": "https://json-schema.org/draft/2020-12/schema",
  "$id": "https://json-schema.org/draft/2020-12/meta/applicator",
  "$dynamicAnchor": "meta",
  "type": ["object", "boolean"],
  "properties": {
    "prefixItems": { "$ref": "#/$defs/schemaArray" },
    "items": { "$dynamicRef": "#meta" },
    "contains": { "$dynamicRef": "#meta" },
    "additionalProperties": { "$dynamicRef": "#meta" },
    "properties": { "type": "object", "additionalProperties": { "$dynamicRef": "#meta" } },
    "patternProperties": {
      "type": "object",
      "additionalProperties": { "$dynamicRef": "#meta" },
      "propertyNames": { "format": "regex" }
    },
    "dependentSchemas": { "type": "object", "additionalProperties": { "$dynamicRef": "#meta" } },
    "propertyNames": { "$dynamicRef": "#meta" },
    "if": { "$dynamicRef": "#meta" },
    "then": { "$dynamicRef": "#meta" },
    "else": { "$dynamicRef": "#meta" },
    "allOf": { "$ref": "#/$defs/schemaArray" },
    "anyOf": { "$ref": "#/$defs/schemaArray" },
    "oneOf": { "$ref": "#/$defs/schemaArray" },
    "not": { "$dynamicRef": "#meta" }
  },
  "$defs": {
    "schemaArray": { "type": "array", "minItems": 1, "items": { "$dynamicRef": "#meta" } }
  }
})"},
{"https://json-schema.org/draft/2020-12/meta/unevaluated", R"({
  "$schema": "https://json-schema.org/draft/2020-12/schema",
  "$id": "https://json-schema.org/draft/2020-12/meta/unevaluated",
  "$dynamicAnchor": "meta",
  "type": ["object", "boolean"],
  "properties": {
    "unevaluatedItems": { "$dynamicRef": "#meta" },
    "unevaluatedProperties": { "$dynamicRef": "#meta" }
  }
})"},
{"https://json-schema.org/draft/2020-12/meta/validation", R"({
  "$schema": "https://json-schema.org/draft/2020-12/schema",
  "$id": "https://json-schema.org/draft/2020-12/meta/validation",
  "$dynamicAnchor": "meta",
  "type": ["object", "boolean"],
  "properties": {
    "type": {
      "anyOf": [
        { "$ref": "#/$defs/simpleTypes" },
        { "type": "array", "items": { "$ref": "#/$defs/simpleTypes" }, "minItems": 1, "uniqueItems": true }
      ]
    },
    "const": true,
    "enum": { "type": "array", "items": true },
    "multipleOf": { "type": "number", "exclusiveMinimum": 0 },
    "maximum": { "type": "number" },
    "exclusiveMaximum": { "type": "number" },
    "minimum": { "type": "number" },
    "exclusiveMinimum": { "type": "number" },
    "maxLength": { "$ref": "#/$defs/nonNegativeInteger" },
    "minLength": { "$ref": "#/$defs/nonNegativeInteger" },
    "pattern": { "type": "string", "format": "regex" },
    "maxItems": { "$ref": "#/$defs/nonNegativeInteger" },
    "minItems": { "$ref": "#/$defs/nonNegativeInteger" },
    "uniqueItems": { "type": "boolean" },
    "maxContains": { "$ref": "#/$defs/nonNegativeInteger" },
    "minContains": { "$ref": "#/$defs/nonNegativeInteger" },
    "maxProperties": { "$ref": "#/$defs/nonNegativeInteger" },
    "minProperties": { "$ref": "#/$defs/nonNegativeInteger" },
    "required": { "$ref": "#/$defs/stringArray" },
    "dependentRequired": { "type": "object", "additionalProperties": { "$ref": "#/$defs/stringArray" } }
  },
  "$defs": {
    "nonNegativeInteger": { "type": "integer", "minimum": 0 },
    "nonNegativeIntegerDefault0": { "$ref": "#/$defs/nonNegativeInteger" },
    "simpleTypes": { "enum": ["array", "boolean", "integer", "null", "number", "object", "string"] },
    "stringArray": { "type": "array", "items": { "type": "string" }, "uniqueItems": true }
  }
})"},
{"https://json-schema.org/draft/2020-12/meta/meta-data", R"({
  "$schema": "https://json-schema.org/draft/2020-12/schema",
  "$id": "https://json-schema.org/draft/2020-12/meta/meta-data",
  "$dynamicAnchor": "meta",
  "type": ["object", "boolean"],
  "properties": {
    "title": { "type": "string" },
    "description": { "type": "string" },
    "default": true,
    "deprecated": { "type": "boolean" },
    "readOnly": { "type": "boolean" },
    "writeOnly": { "type": "boolean" },
    "examples": { "type": "array", "items": true }
  }
})"},
{"https://json-schema.org/draft/2020-12/meta/format-annotation", R"({
  "$schema": "https://json-schema.org/draft/2020-12/schema",
  "$id": "https://json-schema.org/draft/2020-12/meta/format-annotation",
  "$dynamicAnchor": "meta",
  "type": ["object", "boolean"],
  "properties": { "format": { "type": "string" } }
})"},
{"https://json-schema.org/draft/2020-12/meta/format-assertion", R"({
  "$schema": "https://json-schema.org/draft/2020-12/schema",
  "$id": "https://json-schema.org/draft/2020-12/meta/format-assertion",
  "$dynamicAnchor": "meta",
  "type": ["object", "boolean"],
  "properties": { "format": { "type": "string" } }
})"},
{"https://json-schema.org/draft/2020-12/meta/content", R"({
  "$schema": "https://json-schema.org/draft/2020-12/schema",
  "$id": "https://json-schema.org/draft/2020-12/meta/content",
  "$dynamicAnchor": "meta",
  "type": ["object", "boolean"],
  "properties": {
    "contentEncoding": { "type": "string" },
    "contentMediaType": { "type": "string" },
    "contentSchema": { "$dynamicRef": "#meta" }
  }
})"},
};
// clang-format on

}  // namespace

std::string_view metaschema(std::string_view uri) {
  for (const Metaschema& known : kMetaschemas) {
    if (uri == known.uri) return known.text;
  }
  for (const Metaschema& known : rare_metaschemas()) {
    if (uri == known.uri) return known.text;
  }
  return {};
}

}  // namespace patchbay::json
