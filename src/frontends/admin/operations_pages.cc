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
  const auto is_up = [](const UpstreamLine& line) { return line.state.up; };
  const auto suffices = [](const UpstreamLine& line) { return line.state.up || !line.required; };
  const bool ready = view_.ready() && std::ranges::all_of(upstreams, suffices);
  const std::string_view status = !ready                                  ? "not ready"
                                  : std::ranges::all_of(upstreams, is_up) ? "ready"
                                                                          : "degraded";
  std::string text = fmt::format("{{\"status\":\"{}\",\"upstreams\":[", status);
  // A client without credentials learns the status, but no names of upstreams.
  for (const auto& line : exchange.caller ? upstreams : std::vector<UpstreamLine>()) {
    if (!text.ends_with('[')) text += ',';
    text += upstream_json(line);
  }
  text += ']';
  const auto refused =
      exchange.caller && view_.refused ? view_.refused() : std::vector<std::string>();
  if (!refused.empty()) text += fmt::format(",\"reload_refused\":{}", quoted_list(refused));
  const auto problems =
      exchange.caller && view_.problems ? view_.problems() : std::vector<std::string>();
  if (!problems.empty()) text += fmt::format(",\"problems\":{}", quoted_list(problems));
  text += "}\n";
  co_return co_await exchange.answer(ready ? 200 : 503, kJsonUtf8, {text});
}

Task<void> MetricsPage::handle(net::HttpExchange& exchange) {
  const std::string text = registry_.render();
  co_return co_await exchange.answer(200, "text/plain; version=0.0.4; charset=utf-8", {text});
}

}  // namespace patchbay::frontends
