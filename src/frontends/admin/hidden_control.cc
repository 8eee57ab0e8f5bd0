// The page of the control API about what clients are not offered, and why.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <charconv>

#include "core/text.h"
#include "frontends/admin/catalog_control.h"
#include "frontends/admin/page_size.h"
#include "json/invisible.h"
#include "json/text.h"
#include "json/write.h"
#include "net/http/syntax/percent.h"

namespace patchbay::frontends {
namespace {

constexpr std::size_t kMaxHiddenText = 2'000;  // Bytes of a name, and of a reason.

// In the order of mcp::ItemKind.
constexpr std::array<std::string_view, mcp::kItems.size()> kKinds{"tool", "prompt", "resource",
                                                                  "template"};

std::string bounded_text(std::string_view text) {
  return json::quote(json::shortened(text, kMaxHiddenText));
}

std::string take_text(QueryParameters& query, const std::string& name) {
  auto node = query.extract(name);
  return node ? std::move(node.mapped()) : std::string();
}

// The cursor is `catalog-upstream-row`.
std::string cursor_text(const HiddenCursor& cursor) {
  return fmt::format("{}-{}-{}", cursor.catalog, cursor.upstream, cursor.row);
}

Result<HiddenCursor> read_cursor(std::string_view text) {
  std::array<std::uint64_t, 3> numbers{};
  const char* at = text.data();
  const char* const end = at + text.size();
  for (auto& number : numbers) {
    const auto [after, fault] = std::from_chars(at, end, number);
    const bool last = &number == &numbers.back();
    if (fault != std::errc() || (last ? after != end : after == end || *after != '-')) {
      return Error{Code::invalid_params, "cursor: this is none of this page"};
    }
    at = last ? after : after + 1;
  }
  return HiddenCursor{numbers[0], numbers[1], numbers[2]};
}

Result<std::optional<mcp::ItemKind>> read_kind(const std::string& text) {
  if (text.empty()) return std::optional<mcp::ItemKind>();
  const auto* const found = std::ranges::find(kKinds, text);
  if (found != kKinds.end()) {
    return std::optional(static_cast<mcp::ItemKind>(found - kKinds.begin()));
  }
  return Error{Code::invalid_params, "kind: tool, prompt, resource or template"};
}

Result<std::optional<HiddenReason>> read_reason(const std::string& text) {
  if (text.empty()) return std::optional<HiddenReason>();
  const auto* const found = std::ranges::find(kHiddenReasons, text);
  if (found != kHiddenReasons.end()) {
    return std::optional(static_cast<HiddenReason>(found - kHiddenReasons.begin()));
  }
  return Error{Code::invalid_params,
               fmt::format("reason: one of {}", fmt::join(kHiddenReasons, ", "))};
}

void add_item(std::string& list, const HiddenItem& item) {
  if (!list.empty()) list += ',';
  json::Object object(list);
  object.raw("kind",
             item.kind ? json::quote(kKinds[static_cast<std::size_t>(*item.kind)]) : "null");
  object.raw("upstream", json::quote(item.upstream));
  object.raw("name", item.name.empty() ? "null" : bounded_text(item.name));
  object.raw("reason", json::quote(name_of(item.reason)));
  object.raw("why", bounded_text(item.why));
}

std::string name_list(const auto& names) {
  std::string list = "[";
  for (const auto& name : names) list += (list.size() > 1 ? "," : "") + json::quote(name);
  return list + "]";
}

}  // namespace

Result<HiddenQuery> CatalogControl::read_hidden_query(const net::HttpExchange& exchange) const {
  auto query = net::parse_query(exchange.request.query);
  if (!query) return query.error();
  HiddenQuery wanted;
  auto kind = read_kind(take_text(*query, "kind"));
  if (!kind) return kind.error();
  wanted.kind = *kind;
  auto reason = read_reason(take_text(*query, "reason"));
  if (!reason) return reason.error();
  wanted.reason = *reason;
  wanted.upstream = take_text(*query, "upstream");
  wanted.search = ascii_lower(take_text(*query, "search"));
  wanted.role = take_text(*query, "role");
  const std::string cursor = take_text(*query, "cursor");
  if (!cursor.empty()) {
    auto from = read_cursor(cursor);
    if (!from) return from.error();
    wanted.from = *from;
  }
  auto limit = take_limit(*query);
  if (!limit) return limit.error();
  wanted.limit = *limit;
  auto taken = check_taken(*query, "kind, upstream, search, reason, role, limit, cursor");
  if (!taken) return taken.error();
  wanted.rules = catalog_.shared_rules();
  return wanted;
}

Task<std::string> CatalogControl::hidden(const net::HttpExchange& exchange) {
  auto query = read_hidden_query(exchange);
  if (!query) co_return query.error();
  auto looking = operations_.run_time->hidden_items(*std::move(query));
  auto found = co_await looking;
  if (!found) co_return found.error();
  std::string list;
  for (const auto& item : found->items) add_item(list, item);
  std::vector<std::string> roles;
  if (catalog_.rules()) roles = catalog_.rules()->roles();
  std::vector<std::string> upstreams;
  for (auto& line : operations_.upstreams()) upstreams.push_back(std::move(line.name));
  std::string text;
  json::Object object(text);
  object.raw("items", "[" + list + "]");
  object.raw("upstreams", name_list(upstreams));
  object.raw("roles", name_list(roles));
  if (found->next) object.raw("next", json::quote(cursor_text(*found->next)));
  object.end();
  json::escape_invisible(text);
  co_return text;
}

}  // namespace patchbay::frontends
