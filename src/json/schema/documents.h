// The documents of a schema and their structure: its own text, the metaschemas and those of the
// options. Each is a tree of schemas with one or more Resources (named by `$id`), and anchors
// within those. Used while one schema is compiled, by one thread.
#pragma once

#include <cstdint>
#include <deque>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "core/result.h"
#include "json/equal.h"
#include "json/index.h"
#include "json/schema/keywords.h"
#include "json/schema/options.h"

namespace patchbay::json {

// One value in one document.
struct SchemaLocation {
  std::uint32_t document = 0;
  NodeId node = 0;
  auto operator<=>(const SchemaLocation&) const = default;
};

struct SchemaResource {
  std::string uri;
  SchemaLocation root;
  Dialect dialect;
  std::map<std::string, NodeId, std::less<>> anchors = {};
  std::map<std::string, NodeId, std::less<>> dynamic_anchors = {};  // All of them are anchors too.
};

class SchemaDocuments {
 public:
  explicit SchemaDocuments(const SchemaOptions& options)
      : options_(options), budget_(options.limits.compile) {}

  // Parses `text` as the document with that URI.
  Result<SchemaLocation> open(std::string_view text, std::string uri);

  // The target of `reference` in a schema of that resource.
  Result<SchemaLocation> resolve(std::uint32_t resource, std::string_view reference);

  const Index& index(SchemaLocation location) const { return documents_[location.document].index; }
  std::uint32_t resource_of(SchemaLocation location) const {
    return documents_[location.document].resource[location.node];
  }
  const std::vector<SchemaResource>& resources() const { return resources_; }

  // A description of `location` for messages.
  std::string describe(SchemaLocation location) const;

 private:
  struct Document {
    std::string uri;
    Index index;
    std::vector<std::uint32_t> resource;  // Of each node that is a schema.
  };

  // What is missing is an Error with an empty message.
  Result<Dialect> dialect_of(std::string_view uri, int chain) const;
  std::string_view text_of(std::string_view uri) const;
  Result<std::uint32_t> find_resource(const std::string& uri);
  Result<SchemaLocation> follow(std::uint32_t resource, std::string_view pointer);

  Result<void> scan(SchemaLocation location, std::uint32_t resource);
  Result<void> scan_keyword(SchemaLocation location, std::uint32_t resource, Holds holds);
  Result<std::uint32_t> enter(SchemaLocation location, std::uint32_t resource);
  std::uint32_t add_resource(std::string uri, SchemaLocation root, Dialect dialect);
  Result<Dialect> dialect_at(SchemaLocation location, Dialect outer, bool root) const;
  Result<std::string> text_member(SchemaLocation location, std::string_view key) const;

  const SchemaOptions& options_;
  Budget budget_;
  std::deque<Document> documents_;
  std::vector<SchemaResource> resources_;
  std::map<std::string, std::uint32_t, std::less<>> by_uri_;
};

}  // namespace patchbay::json
