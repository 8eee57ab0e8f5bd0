// An OpenapiOperation is the part of an OpenAPI operation that a call needs: the location of each
// argument, and its encoding there.
//
// Values only; never changed once made, so threads may share it.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "json/index.h"

namespace patchbay::upstreams {

enum class ParameterLocation : std::uint8_t { path, query, header, cookie };

enum class ParameterStyle : std::uint8_t {
  simple,
  label,
  matrix,
  form,
  space_delimited,
  pipe_delimited,
  deep_object,
};

// How the value of a parameter is written.
struct ParameterForm {
  ParameterStyle style = ParameterStyle::simple;
  bool explode = false;
  bool reserved = false;  // Of a query: reserved characters are not encoded.
  bool as_json = false;   // The value is written as one JSON text.
};

struct OpenapiParameter {
  std::string name;      // Its name in the request.
  std::string argument;  // Its name in the tool's arguments.
  ParameterLocation location = ParameterLocation::query;
  ParameterForm form;
  bool required = false;
  bool simple_value = true;  // Neither an array nor an object.
  // For the description of the tool, as long as the document exists.
  std::optional<json::NodeId> schema = {};
  std::string description = {};
  bool deprecated = false;
};

enum class BodyKind : std::uint8_t { none, json, form, multipart, text, bytes };

// The special encoding of one field of a form.
struct OpenapiField {
  std::string name;
  bool binary = false;
  std::string content_type;                // Of its part; empty: by its value.
  std::optional<ParameterForm> form = {};  // If the document specifies one.
};

struct OpenapiBody {
  BodyKind kind = BodyKind::none;
  std::string argument;
  std::string content_type;
  bool required = false;
  std::vector<OpenapiField> fields;
  std::optional<json::NodeId> schema = {};
  std::string description = {};
};

// A path is text and parameters in turn.
struct PathPiece {
  std::string text;                        // Encoded; before the parameter.
  std::optional<std::size_t> parameter{};  // Its number.
};

// Credentials for the service, ready to be sent.
struct OpenapiProof {
  std::string fields;   // Header lines, each with its CRLF.
  std::string query;    // `key=value&…`, encoded.
  std::string cookies;  // `key=value; …`
  // Names that the credentials use; no argument may use them.
  std::vector<std::string> field_names{};
  std::vector<std::string> query_names{};
  std::vector<std::string> cookie_names{};
};

struct OpenapiOperation {
  std::string name;    // Of the tool.
  std::string method;  // In capitals.
  std::string path;    // The path in the document.
  std::string base;    // The server's path before it; without a trailing slash.
  std::vector<PathPiece> pieces;
  std::vector<OpenapiParameter> parameters;
  OpenapiBody body;
  OpenapiProof proof;
  std::string accept;  // The preferred media type; empty: any.

  bool is_safe() const { return method == "GET" || method == "HEAD" || method == "OPTIONS"; }
};

}  // namespace patchbay::upstreams
