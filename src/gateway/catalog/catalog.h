// The Catalog is the merged, named view of everything that the upstreams offer: tools, prompts,
// resources and resource templates. It never changes: when an upstream changes, a new catalog is
// built and passed to every worker.
//
// Immutable; read on any worker.
#pragma once

#include <algorithm>
#include <array>
#include <chrono>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <vector>

#include "core/text_hash.h"
#include "gateway/call/upstream.h"
#include "gateway/catalog/qualified_names.h"
#include "gateway/catalog/tool_schemas.h"
#include "mcp/items.h"
#include "mcp/param_headers.h"
#include "mcp/revision.h"
#include "mcp/tasks.h"
#include "policy/rules/access.h"

namespace patchbay::gateway {

enum class Prefix : std::uint8_t {
  always,    // upstream__tool
  conflict,  // The bare name, unless two upstreams have it.
  never,     // The bare name; a second upstream with the same name keeps its prefix.
};

struct NameSettings {
  Prefix prefix = Prefix::always;
  std::string separator = "__";
  int max_length = 64;  // The length of a listed name, with its prefix.
};

struct CatalogEntry {
  std::shared_ptr<Upstream> upstream;
  std::string key;     // The upstream's own name: a name, a URI or a URI template.
  std::string listed;  // As clients see it.
  std::vector<mcp::ParamHeader> headers = {};  // Arguments that are mirrored in HTTP headers.
  mcp::TaskSupport tasks = mcp::TaskSupport::none;
  std::string dotted = {};                          // upstream.name; only for tools and prompts.
  std::shared_ptr<const ToolSchemas> schemas = {};  // Only for tools.
  // The conditions that a call must satisfy before it is sent; null: none.
  std::shared_ptr<const policy::CallConditions> conditions = {};
  std::string_view rule = {};            // The rule that allows it; empty: there are no rules.
  std::chrono::milliseconds timeout{0};  // For a tool with its own timeout.
  bool offered = true;                   // False: it can be called, but is in no list.
  // Why it cannot be used now, as an admin has decided; null: it can. It is in no list either.
  std::shared_ptr<const std::string> off = {};
};

// What one upstream offers, as an input of the catalog.
struct Offer {
  std::shared_ptr<Upstream> upstream;
  mcp::ItemLists items;
  // Tools whose key is not the upstream's own name, with that name.
  std::map<std::string, std::string> own_names = {};
  // Tools with their own timeout, by key.
  std::map<std::string, std::chrono::milliseconds> timeouts = {};
  // Why none of its items can be used now; empty: they can.
  std::string suspended = {};
  // Tools that are switched off, by the upstream's own name, and why.
  std::map<std::string, std::string> off = {};
};

class Catalog {
 public:
  // In the order of the offers, and of the items in each. Schemas that tools already had in
  // `before` are not compiled again.
  Catalog(std::vector<Offer> offers, const NameSettings& names, const Catalog* before = nullptr);

  // The same without the items that `access` hides, as if they had never been offered. REQUIRES:
  // this is a whole catalog.
  std::shared_ptr<const Catalog> restricted(std::shared_ptr<const policy::Access> access) const;

  // The access of the callers that this catalog is for; null: to everything.
  const policy::Access* access() const { return access_.get(); }

  // For tools and prompts: accepts the listed name, upstream__name, upstream.name, upstream_name
  // and, if only one upstream has it, the bare name. A name that begins with an upstream's name
  // belongs to no other (see QualifiedNames). For resources: the URI. Null if unknown, ambiguous or
  // off.
  const CatalogEntry* find(mcp::ItemKind kind, std::string_view name) const;

  // The entry of that name that is off; null if there is none. Its name belongs to no other item
  // meanwhile.
  const CatalogEntry* find_off(mcp::ItemKind kind, std::string_view name) const;

  // The listed names of the items that `name` may mean if it is ambiguous, else empty.
  std::vector<std::string> meanings(mcp::ItemKind kind, std::string_view name) const;

  // The entry that can read `uri`: the one that lists it, else one with a matching template that
  // may be used for it. The entry's key is then the URI or the template.
  const CatalogEntry* find_resource(std::string_view uri) const;

  // The upstream of that name; null if there is none.
  std::shared_ptr<Upstream> find_upstream(std::string_view name) const;

  // The upstreams that offer something here, in order.
  std::vector<std::shared_ptr<Upstream>> upstreams() const;

  // The public URI of the resource that `upstream` calls `uri`.
  std::string listed_uri(std::string_view upstream, std::string_view uri) const;

  // The public form of an entry of this catalog: its raw definition, with the listed name.
  std::string_view definition(mcp::ItemKind kind, const CatalogEntry& entry) const {
    const Section& in = section(kind);
    return in.items[static_cast<std::size_t>(&entry - in.entries.data())];
  }

  // The number of items that clients are offered.
  std::size_t size(mcp::ItemKind kind) const {
    return static_cast<std::size_t>(
        std::ranges::count_if(section(kind).entries, &CatalogEntry::offered));
  }

  // All items of a kind, in order; entries()[i] belongs to items()[i], which is raw JSON with the
  // listed name in it.
  const std::vector<CatalogEntry>& entries(mcp::ItemKind kind) const {
    return section(kind).entries;
  }
  const std::vector<std::string>& items(mcp::ItemKind kind) const { return section(kind).items; }

  // Unique among the catalogs of a process.
  std::uint64_t number() const { return number_; }

  // The number of the whole catalog that this is a part of, or equal to.
  std::uint64_t family() const { return family_; }

  // The result of a list request in the form of the revision: up to `page` items from `cursor` on
  // (empty: from the beginning), and the cursor of the next page if there is one.
  // Code::invalid_params if the cursor is not from this catalog.
  Result<std::string> list(mcp::ItemKind kind, mcp::Revision revision, std::string_view cursor,
                           std::size_t page) const;

  // True if clients would see a different list of this kind.
  bool differs(const Catalog& other, mcp::ItemKind kind) const;

 private:
  using Index = TextMap<std::size_t>;

  // The items of one kind in the form of one revision, built when first needed.
  struct Rendered {
    std::once_flag once;
    std::vector<std::string> items;
    std::string all;  // All of them as one result.
  };

  // All items of one kind.
  struct Section {
    std::vector<CatalogEntry> entries;
    std::vector<std::string> items;  // Raw JSON, with the listed names.
    Index listed;                    // Only while it is built.
    Index names;                     // All names of an item, including the listed one.
    // The entries that an ambiguous name may mean.
    TextMap<std::vector<std::size_t>> ambiguous;
    std::unique_ptr<std::array<Rendered, mcp::kRevisions.size()>> rendered =
        std::make_unique<std::array<Rendered, mcp::kRevisions.size()>>();
  };

  const Section& section(mcp::ItemKind kind) const {
    return sections_[static_cast<std::size_t>(kind)];
  }
  const CatalogEntry* find_any(mcp::ItemKind kind, std::string_view name) const;
  const Rendered& rendered(mcp::ItemKind kind, mcp::Revision revision) const;
  Catalog(const Catalog& whole, std::shared_ptr<const policy::Access> access);
  void build(const Catalog* before);
  std::vector<Offer> offers_to(const policy::Access& access) const;
  void add_named(Section& to, mcp::ItemKind kind, const Catalog* before);
  void add_addressed(Section& to, mcp::ItemKind kind);
  bool add_entry(Section& to, const Offer& offer, mcp::ItemKind kind, const mcp::Item& item,
                 const std::string& listed);

  std::vector<Offer> offers_;
  const NameSettings names_;
  const std::shared_ptr<const policy::Access> access_;
  std::array<Section, mcp::kItems.size()> sections_;
  const std::uint64_t number_;
  const std::uint64_t family_;
  const std::shared_ptr<const QualifiedNames> qualified_;  // The same for every part of a catalog.
  std::string digest_;  // Part of cursors: a cursor of an earlier catalog is refused.
};

}  // namespace patchbay::gateway
