#include "gateway/catalog.h"

#include <fmt/format.h>

#include <map>

#include "json/read.h"

namespace patchbay::gateway {
namespace {

constexpr std::size_t kAmbiguous = static_cast<std::size_t>(-1);

// The definition with another name in it, the rest as it came.
std::string renamed(const Tool& tool, const std::string& listed) {
  std::string text = "{\"name\":";
  json::append_quoted(text, listed);
  json::each_member(tool.definition, [&](std::string_view key, std::string_view raw) {
    if (key == "name") return;
    text += ',';
    json::append_quoted(text, key);
    text += ':';
    text += raw;
  });
  text += '}';
  return text;
}

std::map<std::string, int> count_names(const std::vector<Offer>& offers) {
  std::map<std::string, int> count;
  for (const auto& offer : offers) {
    for (const auto& tool : offer.tools) ++count[tool.name];
  }
  return count;
}

}  // namespace

Catalog::Catalog(const std::vector<Offer>& offers, const NameSettings& names) {
  const auto count = count_names(offers);
  tools_json_ = "[";
  for (const auto& offer : offers) {
    const std::string_view upstream = offer.upstream->name();
    for (const auto& tool : offer.tools) {
      const std::string full = fmt::format("{}{}{}", upstream, names.separator, tool.name);
      const bool bare = (names.prefix == Prefix::conflict && count.at(tool.name) == 1) ||
                        (names.prefix == Prefix::never && !listed_.contains(tool.name));
      const std::string listed = bare ? tool.name : full;
      const std::size_t index = entries_.size();
      // Whoever came first keeps the name: one upstream never stands in another's place.
      if (!listed_.try_emplace(listed, index).second) continue;
      entries_.push_back({offer.upstream, tool.name, listed});
      if (index > 0) tools_json_ += ',';
      tools_json_ += renamed(tool, listed);
      add_alias(full, index);
      add_alias(fmt::format("{}__{}", upstream, tool.name), index);
      add_alias(fmt::format("{}.{}", upstream, tool.name), index);
      add_alias(fmt::format("{}_{}", upstream, tool.name), index);
      add_alias(tool.name, index);
    }
  }
  tools_json_ += ']';
}

void Catalog::add_alias(std::string name, std::size_t entry) {
  const auto [found, added] = aliases_.try_emplace(std::move(name), entry);
  if (!added && found->second != entry) found->second = kAmbiguous;
}

const CatalogEntry* Catalog::find(std::string_view name) const {
  if (const auto listed = listed_.find(name); listed != listed_.end()) {
    return &entries_[listed->second];
  }
  const auto alias = aliases_.find(name);
  if (alias == aliases_.end() || alias->second == kAmbiguous) return nullptr;
  return &entries_[alias->second];
}

}  // namespace patchbay::gateway
