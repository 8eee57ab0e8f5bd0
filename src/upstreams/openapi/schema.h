// Schemas of an OpenAPI document as JSON Schema 2020-12. Each referenced schema becomes a member of
// `$defs`, once, so that recursive schemas stay finite. Keywords of 3.0 (`nullable`, a true
// `exclusiveMinimum`, `example`) are translated to those of JSON Schema.
//
// Confined to one thread; pure.
#pragma once

#include <map>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "upstreams/openapi/document.h"

namespace patchbay::upstreams {

// The direction decides which properties are included: a client does not send readOnly ones, nor
// receive writeOnly ones.
enum class SchemaUse : std::uint8_t { sent, received };

class OpenapiSchemas {
 public:
  // REQUIRES: the document outlives it. Nothing is written above `most` bytes.
  OpenapiSchemas(const OpenapiDocument& document, SchemaUse use, std::size_t most)
      : document_(document), use_(use), most_(most) {}

  // The schema at `at`, with references to `#/$defs/…`. An invalid schema becomes one that allows
  // everything; see problem().
  std::string convert(json::NodeId at);

  // The object of everything referenced so far, itself converted; empty if there is nothing.
  std::string definitions();

  // The size limit was exceeded: the output must not be used.
  bool too_large() const { return written_ > most_; }

  // The problem of the first schema that was invalid; empty if none.
  const std::string& problem() const { return problem_; }

  // Whether it describes an object, seen through references and allOf.
  bool is_object(json::NodeId at) const {
    std::set<json::NodeId> seen;
    return is_object(at, seen);
  }

  // Whether it describes bytes, so that its argument is base64.
  bool is_binary(json::NodeId at) const;

 private:
  void write(std::string& out, json::NodeId at);
  void write_object(std::string& out, json::NodeId at);
  void write_keyword(std::string& out, json::NodeId schema, json::NodeId keyword, bool nullable);
  void write_schemas(std::string& out, json::NodeId at, bool properties);
  void write_type(std::string& out, json::NodeId type, bool nullable);
  void write_enum(std::string& out, json::NodeId list, bool nullable);
  void write_required(std::string& out, json::NodeId schema, json::NodeId list);
  void write_string_hints(std::string& out, json::NodeId schema);
  void write_reference(std::string& out, json::NodeId schema);
  const std::string& name_of(json::NodeId target, std::string_view reference);
  bool is_left_out(json::NodeId property) const;
  bool is_object(json::NodeId at, std::set<json::NodeId>& seen) const;
  void raw(std::string& out, json::NodeId at);

  const OpenapiDocument& document_;
  const SchemaUse use_;
  const std::size_t most_;
  std::size_t written_ = 0;
  std::string problem_;
  std::map<json::NodeId, std::string> names_;  // Of referenced schemas.
  std::set<std::string> taken_;
  std::vector<json::NodeId> pending_;  // Named, and not written yet.
};

}  // namespace patchbay::upstreams
