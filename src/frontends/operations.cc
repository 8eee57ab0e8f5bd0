#include "frontends/operations.h"

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

std::string upstream_json(const UpstreamLine& line) {
  return fmt::format(R"({{"name":{},"kind":{},"state":"{}","detail":{},"tools":{}}})",
                     json::quote(line.name), json::quote(line.kind), line.state.up ? "up" : "down",
                     json::quote(line.state.detail), line.tools);
}

Task<void> Health::handle(net::HttpExchange& exchange) {
  // Whoever is not known hears that we live, and nothing else.
  const std::string bus = exchange.caller && view_.bus ? view_.bus() : "";
  const std::string text = fmt::format("{{\"status\":\"ok\",\"version\":\"{}\"{}{}}}\n", kVersion,
                                       bus.empty() ? "" : ",\"bus\":", bus);
  co_return co_await exchange.answer(200, kJsonUtf8, {text});
}

Task<void> Readiness::handle(net::HttpExchange& exchange) {
  const auto upstreams = view_.upstreams();
  const bool all_up =
      std::ranges::all_of(upstreams, [](const UpstreamLine& line) { return line.state.up; });
  const bool ready = all_up && view_.ready();
  std::string text =
      fmt::format("{{\"status\":\"{}\",\"upstreams\":[", ready ? "ready" : "not ready");
  // Whoever is not known hears whether, and not of what.
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
