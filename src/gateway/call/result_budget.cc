#include "gateway/call/result_budget.h"

#include "config/fields.h"

#include <fmt/format.h>

#include <algorithm>

#include "core/glob.h"
#include "json/read.h"
#include "mcp/content.h"

namespace patchbay::gateway {
namespace {

// The text of a result that contains only text.
std::optional<std::string> only_text(std::string_view result) {
  if (json::member(result, "structuredContent")) return std::nullopt;
  const auto content = json::member(result, "content");
  if (!content) return std::nullopt;
  std::string text;
  bool only = true;
  json::each_element(*content, [&](std::string_view block) {
    only = only && json::string_member(block, "type") == "text";
    if (!text.empty()) text += '\n';
    text += json::string_member(block, "text").value_or("");
  });
  return only ? std::optional(std::move(text)) : std::nullopt;
}

}  // namespace

std::optional<std::size_t> budget_of(const std::vector<ResultBudget>& rows, std::string_view tool) {
  for (const auto& row : rows) {
    const auto fits = [&](const std::string& glob) { return matches_glob(glob, tool); };
    if (row.of.empty() || std::ranges::any_of(row.of, fits)) return row.most.value;
  }
  return std::nullopt;
}

mcp::Reply stored_instead(const Call& call, const mcp::Reply& reply, std::size_t most,
                          bool promised, StoredResults& results) {
  const bool failed = reply.has_failed;
  auto text = only_text(reply.body);
  const std::string_view type = text ? "text/plain" : "application/json";
  std::string whole = text ? *std::move(text) : reply.body;
  const std::size_t size = whole.size();
  auto stored = results.keep(*call.caller, std::move(whole), std::string(type), here().now());
  if (!stored) return mcp::error_reply(stored.error());
  const auto minutes = std::chrono::ceil<std::chrono::minutes>(results.bounds().time).count();
  const std::string note = fmt::format(
      "The result has {} bytes, more than the {} that this tool may return at once. It is stored "
      "for "
      "{} min: read {}/1 to {}/{} as resources.",
      reply.body.size(), most, minutes, stored->uri, stored->uri, stored->pages);
  const std::string link =
      fmt::format(R"({{"type":"resource_link","uri":"{}/1","name":{},"mimeType":"{}","size":{}}})",
                  stored->uri, json::quote(call.target), type, size);
  mcp::Reply instead =
      mcp::scanned_reply(fmt::format(R"({{"content":[{},{}]{}}})", mcp::text_block(note), link,
                                     failed || promised ? R"(,"isError":true)" : ""));
  instead.from = mcp::kNewest;
  return instead;
}

}  // namespace patchbay::gateway

namespace patchbay {

template <>
const config::Fields& config::fields<gateway::ResultBudget>() {
  static const Fields kFields = fields_of<gateway::ResultBudget>({
      {"tools", &gateway::ResultBudget::of,
       "Patterns of tools, as upstream.tool. Absent: all tools.", Alias{"of"}},
      {"max_size", &gateway::ResultBudget::most,
       "Maximum size of a result. A larger one is stored and replaced by a link to read it in "
       "pages.",
       Range{Bytes{1024}, Bytes{1 << 30}}, Alias{"most"}},
  });
  return kFields;
}

}  // namespace patchbay
