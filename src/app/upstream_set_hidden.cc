// UpstreamSet::hidden(): what upstreams have and clients are not offered, and why.
#include <fmt/format.h>

#include <map>

#include "app/hidden_page.h"
#include "app/upstream_set.h"

namespace patchbay::app {
namespace {

using frontends::HiddenItems;
using frontends::HiddenQuery;
using frontends::HiddenReason;
using frontends::UpstreamMode;
using gateway::CatalogEntry;
using mcp::ItemKind;

// The entries of one upstream and one kind, by its own names. Several items may have one name.
class Entries {
 public:
  Entries(const gateway::Catalog& catalog, ItemKind kind, const gateway::Upstream* upstream) {
    for (const auto& entry : catalog.entries(kind)) {
      if (entry.upstream.get() == upstream) by_key_.emplace(entry.key, &entry);
    }
  }

  // The entry of the next item of that name; null: it is not in the catalog.
  const CatalogEntry* take(std::string_view key) {
    const auto found = by_key_.lower_bound(key);
    if (found == by_key_.end() || found->first != key) return nullptr;
    const CatalogEntry* const entry = found->second;
    by_key_.erase(found);
    return entry;
  }

 private:
  std::multimap<std::string_view, const CatalogEntry*> by_key_;
};

// Why an item that its upstream offers is not in the catalog.
HiddenBecause without_name(ItemKind kind) {
  if (kind == ItemKind::resource || kind == ItemKind::resource_template) {
    return {HiddenReason::name, "its upstream lists this URI several times"};
  }
  return {HiddenReason::name,
          fmt::format("its name belongs to another {} of its upstream, or to another upstream: see "
                      "names.separator{}",
                      mcp::info(kind).noun,
                      kind == ItemKind::tool ? " and tools.rename of its upstream" : "")};
}

HiddenBecause unlisted(const gateway::Upstream& upstream) {
  return {HiddenReason::unlisted,
          upstream.kind() == "builtin"
              ? "it can be called, and is in no list: mock_skills of its upstream is off"
              : "it can be called, and is in no list: its upstream wants that"};
}

}  // namespace

// Why nothing of an upstream can be in a list, or why what is there may be old.
std::optional<HiddenBecause> UpstreamSet::upstream_hidden(const Running& one) const {
  if (one.earlier) return std::nullopt;
  const gateway::Upstream& upstream = *one.source.upstream;
  const UpstreamMode mode = switches_.upstream(std::string(upstream.name())).mode;
  if (mode == UpstreamMode::disabled) {
    return HiddenBecause{HiddenReason::upstream,
                         "it is disabled by an admin, so it is not known what it has"};
  }
  if (mode == UpstreamMode::drained)
    return HiddenBecause{HiddenReason::drained, "it is drained by an admin"};
  if (!one.source.refused.empty()) {
    return HiddenBecause{
        HiddenReason::upstream,
        fmt::format("its latest list is refused as a whole: {}", one.source.refused)};
  }
  if (one.source.items != mcp::ItemLists{}) return std::nullopt;
  const auto state = upstream.state();
  if (state.up && one.listed) return std::nullopt;
  return HiddenBecause{
      HiddenReason::upstream,
      fmt::format("it is {}, so it is not known what it has{}{}", state.up ? "starting" : "down",
                  state.detail.empty() ? "" : ": ", state.detail)};
}

// Why an item of `from` is not among what the catalog is made of; nothing: it is.
std::optional<HiddenBecause> UpstreamSet::curation_hidden(const Running& one, const Source& from,
                                                          ItemKind kind,
                                                          const mcp::Item& item) const {
  if (kind == ItemKind::tool) {
    const gateway::ToolSettings& tools = from.settings.tools;
    if (from.changed.contains(item.key)) {
      return HiddenBecause{HiddenReason::pinned, pins_.why_hidden(from.upstream->name(), item)};
    }
    if (const auto* const glob = gateway::denied_by(tools, item.key)) {
      return HiddenBecause{HiddenReason::denied,
                           fmt::format("tools.deny of its upstream has the pattern '{}'", *glob)};
    }
    if (!gateway::is_allowed(tools, item.key)) {
      return HiddenBecause{HiddenReason::not_allowed,
                           "tools.allow of its upstream has no pattern for it"};
    }
  }
  if (!one.withdrawn) return std::nullopt;
  return HiddenBecause{HiddenReason::lost,
                       "its upstream has been down for longer than limits.stale_list_ttl"};
}

std::optional<HiddenBecause> UpstreamSet::item_hidden(const Running& one, const Source& from,
                                                      ItemKind kind, const mcp::Item& item,
                                                      const CatalogEntry* entry,
                                                      HiddenPage& page) const {
  if (auto hidden = curation_hidden(one, from, kind, item)) return hidden;
  if (!entry) return without_name(kind);
  if (entry->off) {
    const bool drained =
        switches_.upstream(std::string(from.upstream->name())).mode == UpstreamMode::drained;
    return HiddenBecause{drained ? HiddenReason::drained : HiddenReason::off, *entry->off};
  }
  if (!entry->offered) return unlisted(*from.upstream);
  return page.by_rules(kind, *entry);
}

void UpstreamSet::add_left_out(const gateway::Upstream& upstream, HiddenPage& page) {
  const auto left_out = upstream.left_out();
  if (!left_out) return;
  for (const auto& item : left_out->items()) {
    page.row(item.kind, item.name,
             [&] { return std::optional(HiddenBecause{HiddenReason::left_out, item.why}); });
  }
  if (left_out->more() == 0) return;
  page.row(std::nullopt, "", [&] {
    return std::optional(HiddenBecause{
        HiddenReason::left_out,
        fmt::format("it leaves out {} more items, which are not stored", left_out->more())});
  });
}

// The control thread alone changes what is read here, so it needs no lock.
Result<HiddenItems> UpstreamSet::hidden(const HiddenQuery& query) const {
  if (!catalog_) return HiddenItems{};
  if (query.from && query.from->catalog != catalog_->number()) {
    return Error{Code::invalid_params, "cursor: the catalog has changed; begin again without it"};
  }
  HiddenPage page(query, catalog_->number());
  for (const auto& one : running_) {
    if (!page.begin(one.source.upstream->name())) continue;
    page.row(std::nullopt, "", [&] { return upstream_hidden(one); });
    const Source& from = one.earlier ? *one.earlier : one.source;
    for (std::size_t number = 0; number < mcp::kItems.size(); ++number) {
      const auto kind = static_cast<ItemKind>(number);
      Entries entries(*catalog_, kind, from.upstream.get());
      for (const auto& item : mcp::of(from.items, kind)) {
        const CatalogEntry* const entry = entries.take(item.key);
        page.row(kind, item.key, [&] { return item_hidden(one, from, kind, item, entry, page); });
      }
    }
    add_left_out(*from.upstream, page);
  }
  return page.take();
}

}  // namespace patchbay::app
