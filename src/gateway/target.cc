#include "gateway/target.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "json/read.h"

namespace patchbay::gateway {

using mcp::ItemKind;

namespace {
constexpr std::size_t kMaxMeanings =
    10;  // The number of candidates of an ambiguous name that an error lists.

// The upstream whose name begins `target`, if it is not up and offers nothing of that kind: it may
// have the item once it is up.
std::shared_ptr<Upstream> absent_upstream(const Catalog& catalog, const Call& call) {
  const std::string_view target = call.target;
  for (const std::string_view separator : {"__", "."}) {
    const auto end = target.find(separator);
    if (end == std::string_view::npos) continue;
    auto upstream = catalog.find_upstream(target.substr(0, end));
    if (!upstream || upstream->state().up) continue;
    const auto is_of_it = [&](const auto& entry) { return entry.upstream == upstream; };
    if (!std::ranges::any_of(catalog.entries(call.item), is_of_it)) return upstream;
  }
  return nullptr;
}

}  // namespace

Result<void> read_target(Call& call) {
  const auto* const given = call.request.param(call.method.target);
  call.item = call.method.item;
  call.target.clear();
  if (given && call.method.reach == mcp::Reach::by_reference) {
    const auto type = json::string_member(given->raw, "type");
    const bool prompt = type == "ref/prompt";
    auto read = json::string_member(given->raw, prompt ? "name" : "uri");
    if (!read || (!prompt && type != "ref/resource")) {
      return Error{Code::invalid_params,
                   "'ref' must be a ref/prompt with name or a ref/resource with uri"};
    }
    call.target = *std::move(read);
    call.item = prompt ? ItemKind::prompt : ItemKind::resource_template;
    return ok();
  }
  const bool text = given && given->raw.starts_with('"');
  if (!text || !json::append_unquoted(call.target, given->raw)) {
    call.target.clear();
    return Error{Code::invalid_params,
                 fmt::format("'{}' must be given as a string", call.method.target)};
  }
  return ok();
}

const CatalogEntry* find_item(const Catalog& catalog, const Call& call) {
  if (call.item == ItemKind::resource) return catalog.find_resource(call.target);
  if (const auto* const entry = catalog.find(call.item, call.target)) return entry;
  // A reference may also name a resource itself.
  if (call.item == ItemKind::resource_template) return catalog.find_resource(call.target);
  return nullptr;
}

std::string_view own_name(const CatalogEntry& entry, const Call& call) {
  const bool made = entry.key.find('{') != std::string::npos && call.target != entry.listed;
  if (!made) return entry.key;
  return std::string_view(call.target).substr(entry.listed.size() - entry.key.size());
}

Error unknown_item(const Call& call) {
  const auto* const off = call.catalog ? call.catalog->find_off(call.item, call.target) : nullptr;
  if (off) return {Code::unavailable, *off->off};
  const auto meanings =
      call.catalog ? call.catalog->meanings(call.item, call.target) : std::vector<std::string>();
  if (meanings.size() > 1) {
    const std::size_t named = std::min(meanings.size(), kMaxMeanings);
    return {Code::not_found,
            fmt::format("ambiguous: {}{}",
                        fmt::join(meanings.begin(),
                                  meanings.begin() + static_cast<std::ptrdiff_t>(named), ", "),
                        named < meanings.size() ? ", …" : "")};
  }
  const auto absent = call.catalog ? absent_upstream(*call.catalog, call) : nullptr;
  if (absent) {
    return {Code::unavailable, fmt::format("the upstream '{}' is not up: {}; try again later",
                                           absent->name(), absent->state().detail)};
  }
  std::string message = fmt::format("unknown {}: {}", mcp::info(call.item).noun, call.target);
  if (call.item != ItemKind::resource) return {Code::not_found, std::move(message)};
  // The stateless revision has no separate code for this.
  const bool stateless = mcp::info(call.revision).stateless;
  return {stateless ? Code::not_found : Code::resource_not_found, std::move(message),
          fmt::format("{{\"uri\":{}}}", json::quote(call.target))};
}

void rename_contents(mcp::Reply& reply, const Catalog& catalog, std::string_view upstream) {
  const auto given = json::member(reply.body, "contents");
  if (!given) return;
  std::string contents = "[";
  const auto add = [&](std::string_view content) {
    if (contents.size() > 1) contents += ',';
    const auto uri = json::string_member(content, "uri");
    if (!uri) {
      contents += content;
      return;
    }
    const std::string listed = json::quote(catalog.listed_uri(upstream, *uri));
    contents += json::with_member(content, "uri", listed);
  };
  json::each_element(*given, add);
  reply.body = json::with_member(reply.body, "contents", contents + "]");
  if (const auto meta = json::member(reply.body, "_meta")) {
    reply.meta_at = static_cast<std::size_t>(meta->data() - reply.body.data());
  }
}

}  // namespace patchbay::gateway
