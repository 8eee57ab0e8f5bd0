// The Catalog is the merged, named view of what all upstreams offer. It never changes: when an
// upstream does, a new one is built and handed to every worker.
//
// Immutable; read on any worker.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "gateway/upstream.h"

namespace patchbay::gateway {

enum class Prefix : std::uint8_t {
  always,    // upstream__tool
  conflict,  // The bare name, unless two upstreams have it.
  never,     // The bare name; a second upstream with the same name keeps its prefix.
};

struct NameSettings {
  Prefix prefix = Prefix::always;
  std::string separator = "__";
};

struct CatalogEntry {
  std::shared_ptr<Upstream> upstream;
  std::string tool;    // In the upstream's own words.
  std::string listed;  // As MCP clients see it.
};

// What one upstream offers, as an input of the catalog.
struct Offer {
  std::shared_ptr<Upstream> upstream;
  std::vector<Tool> tools;
};

class Catalog {
 public:
  // In the order of the offers, and of the tools in each.
  Catalog(const std::vector<Offer>& offers, const NameSettings& names);

  // Accepts the listed name, upstream__tool, upstream.tool, upstream_tool and, where only one
  // upstream has it, the bare tool. Null if unknown or ambiguous.
  const CatalogEntry* find(std::string_view name) const;

  // The raw JSON array of all tools, with their listed names.
  const std::string& tools_json() const { return tools_json_; }
  std::size_t size() const { return entries_.size(); }

 private:
  struct Hash {
    using is_transparent = void;
    std::size_t operator()(std::string_view text) const {
      return std::hash<std::string_view>()(text);
    }
  };

  void add_alias(std::string name, std::size_t entry);

  std::vector<CatalogEntry> entries_;
  std::unordered_map<std::string, std::size_t, Hash, std::equal_to<>> listed_;
  std::unordered_map<std::string, std::size_t, Hash, std::equal_to<>> aliases_;
  std::string tools_json_;
};

}  // namespace patchbay::gateway
