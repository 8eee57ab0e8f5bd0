#include "frontends/admin/operations_pages.h"

#include <fmt/format.h>

#include <algorithm>

#include "core/version.h"
#include "frontends/admin/admin.h"
#include "frontends/content_types.h"
#include "json/text.h"
#include "net/http/syntax/accept.h"
#include "observe/metrics_text.h"

namespace patchbay::frontends {
namespace {

constexpr std::string_view kPlainText = "text/plain";
constexpr std::string_view kOpenMetrics = "application/openmetrics-text";
constexpr std::string_view kPrometheusText = "text/plain; version=0.0.4; charset=utf-8";
constexpr std::string_view kOpenMetricsText =
    "application/openmetrics-text; version=1.0.0; charset=utf-8";

std::string quoted_list(const std::vector<std::string>& texts) {
  std::string list;
  for (const auto& text : texts) list += (list.empty() ? "" : ",") + json::quote(text);
  return "[" + list + "]";
}

}  // namespace

Task<void> HealthPage::handle(net::HttpExchange& exchange) {
  // A client without credentials learns only that the process runs.
  const std::string bus = exchange.caller && view_.bus ? view_.bus() : "";
  const std::string text = fmt::format("{{\"status\":\"ok\",\"version\":\"{}\"{}{}}}\n", kVersion,
                                       bus.empty() ? "" : ",\"bus\":", bus);
  co_return co_await exchange.answer(200, kJsonUtf8, {text});
}

bool ReadinessPage::sees(const Caller& caller, std::string_view upstream) const {
  if (!caller) return false;
  const auto catalog = catalog_.current(*caller);
  return is_admin(*caller, catalog_) || !catalog->access() || catalog->access()->reaches(upstream);
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
  // A client without credentials learns the status, but no names of upstreams; a caller those that
  // the rules let it use.
  for (const auto& line : upstreams) {
    if (!sees(exchange.caller, line.name)) continue;
    if (!text.ends_with('[')) text += ',';
    text += upstream_json(line);
  }
  text += ']';
  const auto refused =
      exchange.caller && view_.refused ? view_.refused() : std::vector<std::string>();
  if (!refused.empty()) text += fmt::format(",\"reload_refused\":{}", quoted_list(refused));
  const bool sees_all = exchange.caller && (is_admin(*exchange.caller, catalog_) ||
                                            !catalog_.current(*exchange.caller)->access());
  const auto problems = sees_all && view_.problems ? view_.problems() : std::vector<std::string>();
  if (!problems.empty()) text += fmt::format(",\"problems\":{}", quoted_list(problems));
  text += "}\n";
  co_return co_await exchange.answer(ready ? 200 : 503, kJsonUtf8, {text});
}

Task<void> MetricsPage::handle(net::HttpExchange& exchange) {
  const auto snapshot = registry_.snapshot();
  const bool open = net::preferred_type(net::accept_of(exchange.request),
                                        {kPlainText, kOpenMetrics}) == kOpenMetrics;
  const std::string text =
      open ? metrics::openmetrics_text(snapshot) : metrics::prometheus_text(snapshot);
  co_return co_await exchange.answer(200, open ? kOpenMetricsText : kPrometheusText, {text},
                                     "Vary: Accept\r\n");
}

}  // namespace patchbay::frontends
