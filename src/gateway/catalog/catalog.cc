#include "gateway/catalog/catalog.h"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <charconv>
#include <map>

#include "gateway/catalog/short_names.h"
#include "json/read.h"
#include "mcp/shape.h"
#include "mcp/uri_template.h"

namespace patchbay::gateway {
namespace {

using mcp::ItemKind;

constexpr std::size_t kAmbiguous = static_cast<std::size_t>(-1);

// The upstream's own name of the item.
const std::string& own_name(const Offer& offer, ItemKind kind, const mcp::Item& item) {
  if (kind != ItemKind::tool) return item.key;
  const auto renamed = offer.own_names.find(item.key);
  return renamed == offer.own_names.end() ? item.key : renamed->second;
}

// A tool with invalid annotations has no mirrored arguments.
std::vector<mcp::ParamHeader> mirrored(ItemKind kind, const mcp::Item& item) {
  if (kind != ItemKind::tool) return {};
  auto headers = mcp::param_headers(json::member(item.definition, "inputSchema").value_or("{}"));
  return headers ? *std::move(headers) : std::vector<mcp::ParamHeader>();
}

std::map<std::string, int> count_names(const std::vector<Offer>& offers, ItemKind kind) {
  std::map<std::string, int> count;
  for (const auto& offer : offers) {
    for (const auto& item : mcp::of(offer.items, kind)) ++count[item.key];
  }
  return count;
}

// Another name of an entry. A name that several entries have belongs to none of them; the
// candidates are stored.
void add_alias(auto& section, std::string name, std::size_t entry) {
  const auto [found, added] = section.names.try_emplace(std::move(name), entry);
  if (added || found->second == entry) return;
  auto& all = section.ambiguous[found->first];
  for (const auto one : {found->second, entry}) {
    if (one != kAmbiguous && std::ranges::find(all, one) == all.end()) all.push_back(one);
  }
  found->second = kAmbiguous;
}

// The schemas compiled for a tool are shared by every part of its catalog, and by the next catalog.
std::shared_ptr<const ToolSchemas> schemas_of(const std::string& dotted, const mcp::Item& item,
                                              const Catalog* before) {
  const CatalogEntry* known = before ? before->find(ItemKind::tool, dotted) : nullptr;
  if (before && !known) known = before->find_off(ItemKind::tool, dotted);
  const bool same = known && known->dotted == dotted && known->schemas->are_of(item.definition);
  if (same) return known->schemas;
  return std::make_shared<const ToolSchemas>(dotted, item.definition);
}

void set_conditions(CatalogEntry& entry, policy::ToolAccess access) {
  entry.conditions = std::move(access.conditions);
  entry.rule = access.rule;
}

// Why an item of the offer is off; null: it is not.
std::shared_ptr<const std::string> off_reason(const Offer& offer, ItemKind kind,
                                              const std::string& own_name) {
  if (!offer.suspended.empty()) return std::make_shared<const std::string>(offer.suspended);
  if (kind != ItemKind::tool) return nullptr;
  const auto off = offer.off.find(own_name);
  return off == offer.off.end() ? nullptr : std::make_shared<const std::string>(off->second);
}

std::string joined(const std::vector<std::string>& items, std::size_t from, std::size_t to) {
  std::string text = "[";
  for (std::size_t i = from; i < to; ++i) {
    if (i > from) text += ',';
    text += items[i];
  }
  text += ']';
  return text;
}

std::shared_ptr<const QualifiedNames> qualified_names(const std::vector<Offer>& offers,
                                                      const NameSettings& names) {
  std::vector<std::string> upstreams;
  for (const auto& offer : offers) upstreams.emplace_back(offer.upstream->name());
  return std::make_shared<const QualifiedNames>(upstreams, names.separator);
}

std::uint64_t next_number() {
  static std::atomic<std::uint64_t> last = 0;
  return ++last;
}

}  // namespace

Catalog::Catalog(std::vector<Offer> offers, const NameSettings& names, const Catalog* before)
    : offers_(std::move(offers)),
      names_(names),
      number_(next_number()),
      family_(number_),
      qualified_(qualified_names(offers_, names)) {
  build(before);
}

Catalog::Catalog(const Catalog& whole, std::shared_ptr<const policy::Access> access)
    : offers_(whole.offers_to(*access)),
      names_(whole.names_),
      access_(std::move(access)),
      number_(next_number()),
      family_(whole.number_),
      qualified_(whole.qualified_) {
  build(&whole);
}

std::shared_ptr<const Catalog> Catalog::restricted(
    std::shared_ptr<const policy::Access> access) const {
  return std::shared_ptr<const Catalog>(new Catalog(*this, std::move(access)));
}

// Names and aliases are then assigned as if the hidden items had never been offered.
std::vector<Offer> Catalog::offers_to(const policy::Access& access) const {
  std::vector<Offer> left;
  for (const auto& offer : offers_) {
    const auto upstream = offer.upstream->name();
    Offer part{offer.upstream, offer.items,     offer.own_names,
               offer.timeouts, offer.suspended, offer.off};
    const auto leave_out = [&part](ItemKind kind, auto hidden) {
      std::erase_if(mcp::of(part.items, kind), hidden);
    };
    leave_out(ItemKind::tool,
              [&](const mcp::Item& item) { return !access.tool(upstream, item.key).there; });
    leave_out(ItemKind::prompt,
              [&](const mcp::Item& item) { return !access.has_prompt(upstream, item.key); });
    leave_out(ItemKind::resource,
              [&](const mcp::Item& item) { return !access.has_resource(upstream, item.key); });
    leave_out(ItemKind::resource_template,
              [&](const mcp::Item& item) { return !access.has_template(upstream, item.key); });
    const bool empty = part.items == mcp::ItemLists{};
    if (!empty || access.reaches(upstream)) left.push_back(std::move(part));
  }
  return left;
}

void Catalog::build(const Catalog* before) {
  std::size_t hash = 0;
  for (std::size_t i = 0; i < sections_.size(); ++i) {
    const auto kind = static_cast<ItemKind>(i);
    Section& to = sections_[i];
    if (kind == ItemKind::tool || kind == ItemKind::prompt) {
      add_named(to, kind, before);
    } else {
      add_addressed(to, kind);
    }
    // If the listed name of one item is an alias of another, the listed name wins.
    for (auto& [name, index] : std::exchange(to.listed, {})) to.names.insert_or_assign(name, index);
    for (const auto& item : to.items) hash = hash * 31 + std::hash<std::string>()(item);
  }
  digest_ = fmt::format("{:016x}", hash);
}

bool Catalog::add_entry(Section& to, const Offer& offer, ItemKind kind, const mcp::Item& item,
                        const std::string& listed) {
  // The first one keeps the name: no upstream replaces an item of another.
  if (!to.listed.try_emplace(listed, to.entries.size()).second) return false;
  const bool tool = kind == ItemKind::tool;
  to.entries.push_back({offer.upstream, own_name(offer, kind, item), listed, mirrored(kind, item),
                        tool ? mcp::task_support(item.definition) : mcp::TaskSupport::none});
  CatalogEntry& entry = to.entries.back();
  entry.off = off_reason(offer, kind, entry.key);
  entry.offered = item.listed && !entry.off;
  to.items.push_back(json::with_member(item.definition, mcp::info(kind).key, json::quote(listed)));
  return true;
}

void Catalog::add_named(Section& to, ItemKind kind, const Catalog* before) {
  const auto count = count_names(offers_, kind);
  for (const auto& offer : offers_) {
    const std::string_view upstream = offer.upstream->name();
    for (const auto& item : mcp::of(offer.items, kind)) {
      const auto may_have = [&](const std::string& name) {
        return qualified_->may_have_name(upstream, name);
      };
      const std::string full = fmt::format("{}{}{}", upstream, names_.separator, item.key);
      const auto shortened = [&](std::string_view prefix) {
        return short_name(prefix, names_.separator, item.key,
                          static_cast<std::size_t>(names_.max_length));
      };
      std::string listed = shortened("");
      const bool free = (names_.prefix == Prefix::conflict && count.at(item.key) == 1) ||
                        (names_.prefix == Prefix::never && !to.listed.contains(listed));
      if (!free || !may_have(item.key)) listed = shortened(upstream);
      // A shortened name that another item has is not used.
      if (!may_have(listed) || to.listed.contains(listed)) listed = full;
      const std::size_t index = to.entries.size();
      if (!may_have(listed) || !add_entry(to, offer, kind, item, listed)) continue;
      CatalogEntry& entry = to.entries.back();
      entry.dotted = fmt::format("{}.{}", upstream, item.key);
      if (kind == ItemKind::tool) {
        entry.schemas = schemas_of(entry.dotted, item, before);
        const auto timeout = offer.timeouts.find(item.key);
        if (timeout != offer.timeouts.end()) entry.timeout = timeout->second;
        if (access_) set_conditions(entry, access_->tool(upstream, item.key));
      }
      // Two upstreams may yield the same spelling (`a_b_c`): that name then belongs to neither.
      const auto alias = [&](std::string name) {
        const bool own = may_have(name);
        add_alias(to, std::move(name), own ? index : kAmbiguous);
      };
      for (const auto separator : kNameSeparators) {
        alias(fmt::format("{}{}{}", upstream, separator, item.key));
      }
      alias(full);
      if (may_have(item.key)) add_alias(to, item.key, index);
    }
  }
}

// A URI is globally unique by intention, so it is not renamed. If two upstreams list the same URI,
// the second one gets the name of its upstream as a prefix.
void Catalog::add_addressed(Section& to, ItemKind kind) {
  for (const auto& offer : offers_) {
    for (const auto& item : mcp::of(offer.items, kind)) {
      const std::string_view upstream = offer.upstream->name();
      const bool taken =
          to.listed.contains(item.key) || !qualified_->may_have_uri(upstream, item.key);
      const std::string apart = fmt::format("{}{}{}", upstream, kUriSeparator, item.key);
      add_entry(to, offer, kind, item, taken ? apart : item.key);
    }
  }
}

const CatalogEntry* Catalog::find(ItemKind kind, std::string_view name) const {
  const auto* const entry = find_any(kind, name);
  return entry && !entry->off ? entry : nullptr;
}

const CatalogEntry* Catalog::find_off(ItemKind kind, std::string_view name) const {
  const auto* const entry = find_any(kind, name);
  if (entry) return entry->off ? entry : nullptr;
  if (kind != ItemKind::resource) return nullptr;
  for (const auto& made : section(ItemKind::resource_template).entries) {
    if (made.off && mcp::matches_template(made.listed, name)) return &made;
  }
  return nullptr;
}

bool Catalog::differs(const Catalog& other, ItemKind kind) const {
  const Section& in = section(kind);
  const Section& before = other.section(kind);
  return in.items != before.items ||
         !std::ranges::equal(in.entries, before.entries, {}, &CatalogEntry::offered,
                             &CatalogEntry::offered);
}

const CatalogEntry* Catalog::find_any(ItemKind kind, std::string_view name) const {
  const Section& in = section(kind);
  const auto found = in.names.find(name);
  if (found == in.names.end() || found->second == kAmbiguous) return nullptr;
  return &in.entries[found->second];
}

const CatalogEntry* Catalog::find_resource(std::string_view uri) const {
  if (const auto* const listed = find_any(ItemKind::resource, uri)) {
    return listed->off ? nullptr : listed;
  }
  for (const auto& entry : section(ItemKind::resource_template).entries) {
    if (entry.off || !mcp::matches_template(entry.listed, uri)) continue;
    const auto own = uri.substr(entry.listed.size() - entry.key.size());
    if (!access_ || access_->has_resource(entry.upstream->name(), own)) return &entry;
  }
  return nullptr;
}

std::shared_ptr<Upstream> Catalog::find_upstream(std::string_view name) const {
  const auto found =
      std::ranges::find(offers_, name, [](const Offer& one) { return one.upstream->name(); });
  return found == offers_.end() ? nullptr : found->upstream;
}

std::vector<std::shared_ptr<Upstream>> Catalog::upstreams() const {
  std::vector<std::shared_ptr<Upstream>> found;
  for (const auto& offer : offers_) {
    const bool offers = offer.suspended.empty() && offer.items != mcp::ItemLists{};
    if (offers) found.push_back(offer.upstream);
  }
  return found;
}

std::vector<std::string> Catalog::meanings(ItemKind kind, std::string_view name) const {
  const Section& in = section(kind);
  const auto found = in.ambiguous.find(name);
  if (found == in.ambiguous.end() || find(kind, name)) return {};
  std::vector<std::string> listed;
  for (const auto index : found->second) listed.push_back(in.entries[index].listed);
  std::ranges::sort(listed);
  return listed;
}

std::string Catalog::listed_uri(std::string_view upstream, std::string_view uri) const {
  for (const auto kind : {ItemKind::resource, ItemKind::resource_template}) {
    for (const auto& entry : section(kind).entries) {
      if (entry.upstream->name() != upstream) continue;
      if (entry.key == uri) return entry.listed;
      if (kind == ItemKind::resource || !mcp::matches_template(entry.key, uri)) continue;
      // A prefix that the catalog added to the template also precedes the URI.
      return entry.listed.substr(0, entry.listed.size() - entry.key.size()) + std::string(uri);
    }
  }
  return std::string(uri);
}

const Catalog::Rendered& Catalog::rendered(ItemKind kind, mcp::Revision revision) const {
  const Section& in = section(kind);
  Rendered& rendered = (*in.rendered)[static_cast<std::size_t>(revision)];
  std::call_once(rendered.once, [&] {
    for (std::size_t i = 0; i < in.items.size(); ++i) {
      if (!in.entries[i].offered) continue;
      rendered.items.push_back(mcp::item_for(revision, kind, in.items[i]));
    }
    rendered.all = fmt::format("{{\"{}\":{}}}", mcp::info(kind).member,
                               joined(rendered.items, 0, rendered.items.size()));
  });
  return rendered;
}

Result<std::string> Catalog::list(ItemKind kind, mcp::Revision revision, std::string_view cursor,
                                  std::size_t page) const {
  const Rendered& in = rendered(kind, revision);
  std::size_t from = 0;
  if (!cursor.empty()) {
    const auto dash = cursor.find('-');
    const auto [end, fault] = std::from_chars(cursor.data(), cursor.data() + cursor.size(), from);
    if (fault != std::errc() || dash == std::string_view::npos || end != cursor.data() + dash ||
        cursor.substr(dash + 1) != digest_ || from >= in.items.size()) {
      return Error{Code::invalid_params,
                   "this cursor is not one of ours, or the list has changed: start again"};
    }
  }
  if (from == 0 && in.items.size() <= page) return in.all;
  const std::size_t to = std::min(from + page, in.items.size());
  const std::string next =
      to < in.items.size() ? fmt::format(",\"nextCursor\":\"{}-{}\"", to, digest_) : "";
  return fmt::format("{{\"{}\":{}{}}}", mcp::info(kind).member, joined(in.items, from, to), next);
}

}  // namespace patchbay::gateway
