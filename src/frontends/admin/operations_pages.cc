#include "frontends/admin/operations_pages.h"

#include <fmt/format.h>

#include <algorithm>

#include "core/version.h"
#include "frontends/content_types.h"
#include "json/text.h"

namespace patchbay::frontends {
namespace {

std::string quoted_list(const std::vector<std::string>& texts) {
  std::string list;
  for (const auto& text : texts) list += (list.empty() ? "" : ",") + json::quote(text);
  return "[" + list + "]";
}

}  // namespace

Task<void> HealthPage::handle(net::HttpExchange& exchange) {
  // A client without credentials learns that the process runs, and nothing else.
  const std::string bus = exchange.caller && view_.bus ? view_.bus() : "";
  const std::string text = fmt::format("{{\"status\":\"ok\",\"version\":\"{}\"{}{}}}\n", kVersion,
                                       bus.empty() ? "" : ",\"bus\":", bus);
  co_return co_await exchange.answer(200, kJsonUtf8, {text});
}

Task<void> ReadinessPage::handle(net::HttpExchange& exchange) {
  const auto upstreams = view_.upstreams();
  const bool all_up =
      std::ranges::all_of(upstreams, [](const UpstreamLine& line) { return line.state.up; });
  const bool ready = all_up && view_.ready();
  std::string text =
      fmt::format("{{\"status\":\"{}\",\"upstreams\":[", ready ? "ready" : "not ready");
  // A client without credentials learns the status, but no names of upstreams.
  for (const auto& line : exchange.caller ? upstreams : std::vector<UpstreamLine>()) {
    if (!text.ends_with('[')) text += ',';
    text += upstream_json(line);
  }
  text += ']';
  const auto refused =
      exchange.caller && view_.refused ? view_.refused() : std::vector<std::string>();
  if (!refused.empty()) text += fmt::format(",\"reload_refused\":{}", quoted_list(refused));
  text += "}\n";
  co_return co_await exchange.answer(ready ? 200 : 503, kJsonUtf8, {text});
}

Task<void> MetricsPage::handle(net::HttpExchange& exchange) {
  const std::string text = registry_.render();
  co_return co_await exchange.answer(200, "text/plain; version=0.0.4; charset=utf-8", {text});
}

}  // namespace patchbay::frontends
