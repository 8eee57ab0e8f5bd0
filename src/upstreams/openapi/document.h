// An OpenapiDocument is the text of an OpenAPI 3.0 or 3.1 document with an index. References are
// followed within the document and nowhere else: nothing is read or fetched for one.
//
// Confined to one thread.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>

#include "core/result.h"
#include "json/index.h"

namespace patchbay::upstreams {

class OpenapiDocument {
 public:
  // `text` is JSON or YAML; `most` is how many values it may have.
  static Result<OpenapiDocument> read(std::string_view text, std::size_t most);

  OpenapiDocument(OpenapiDocument&&) = default;

  const json::Index& index() const { return index_; }
  const json::Node& operator[](json::NodeId at) const { return index_[at]; }
  json::Type type(json::NodeId at) const { return index_[at].type; }

  // The member of an object; empty if there is none, or if `at` is no object.
  std::optional<json::NodeId> find(json::NodeId at, std::string_view key) const;

  // Members that are strings or truth values.
  std::string string(json::NodeId at, std::string_view key) const;
  bool flag(json::NodeId at, std::string_view key, bool otherwise = false) const;

  // The target of `at`: itself, or the end of its `$ref` chain.
  Result<json::NodeId> resolve(json::NodeId at) const;

  // The target of a reference such as `#/components/schemas/Pet`.
  Result<json::NodeId> follow(std::string_view reference) const;

  // Calls `visit(child)` for each member of an object, or element of an array.
  template <class Visit>
  void each(json::NodeId at, Visit visit) const {
    const json::Type of = type(at);
    if (of != json::Type::object && of != json::Type::array) return;
    for (json::NodeId child = at + 1; child != index_[at].next; child = index_[child].next) {
      visit(child);
    }
  }

 private:
  using Members = std::unordered_map<std::string_view, json::NodeId>;

  OpenapiDocument(std::unique_ptr<std::string> text, json::Index index)
      : text_(std::move(text)), index_(std::move(index)) {}

  std::unique_ptr<std::string> text_;  // Does not move with the document.
  json::Index index_;
  mutable std::unordered_map<json::NodeId, Members> large_;  // Objects that are searched by table.
};

}  // namespace patchbay::upstreams
