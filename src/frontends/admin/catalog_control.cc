#include "frontends/admin/catalog_control.h"

#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include "frontends/admin/admin.h"
#include "frontends/admin/call_filter.h"
#include "frontends/json_answer.h"
#include "json/invisible.h"
#include "json/write.h"
#include "net/http/syntax/percent.h"
#include "policy/audit/record.h"

namespace patchbay::frontends {
namespace {

constexpr std::string_view kToolsOff = "/control/v1/tools-off";
constexpr std::string_view kTools = "/control/v1/tools/";
constexpr std::string_view kPins = "/control/v1/pins";
constexpr std::string_view kHidden = "/control/v1/catalog/hidden";
constexpr std::size_t kMaxPins = 200;  // In one answer.

std::string seconds_json(std::int64_t seconds) {
  return seconds == 0 ? "null" : json::quote(policy::time_text(seconds * 1000));
}

std::string changed_json(const ChangedTool& tool) {
  std::string text;
  json::Object object(text);
  object.raw("upstream", json::quote(tool.upstream));
  object.raw("tool", json::quote(tool.tool));
  object.raw("digest", json::quote(tool.digest));
  object.raw("acceptable", tool.acceptable ? "true" : "false");
  object.raw("left_out", tool.left_out ? "true" : "false");
  object.raw("first_seen", seconds_json(tool.first_seen));
  object.raw("changed", seconds_json(tool.changed_at));
  object.raw("accepted", tool.accepted);
  object.raw("current", tool.current);
  object.end();
  return text;
}

}  // namespace

Result<CatalogControl::Named> CatalogControl::named(std::string_view rest) {
  std::vector<std::string> parts;
  while (parts.size() < 4) {
    const std::size_t slash = rest.find('/');
    auto part = net::percent_decode(rest.substr(0, slash));
    if (!part) return part.error();
    parts.push_back(*std::move(part));
    if (slash == std::string_view::npos) break;
    rest.remove_prefix(slash + 1);
  }
  if (parts.size() == 3) return Named{parts[0], parts[1], parts[2]};
  return Error{Code::not_found, "the path is UPSTREAM/TOOL/ACTION"};
}

Result<std::string> CatalogControl::tools_off(const net::HttpExchange& exchange) const {
  auto query = net::parse_query(exchange.request.query);
  if (!query) return query.error();
  auto taken = check_taken(*query, "none");
  if (!taken) return taken.error();
  std::string list;
  for (const auto& tool : operations_.run_time->tools_off()) {
    if (!list.empty()) list += ',';
    json::Object object(list);
    object.raw("upstream", json::quote(tool.upstream));
    object.raw("tool", json::quote(tool.tool));
    object.raw("by", json::quote(tool.by));
    object.raw("since", json::quote(policy::time_text(tool.when_ms)));
  }
  json::escape_invisible(list);
  return fmt::format("{{\"tools\":[{}]}}", list);
}

Task<std::string> CatalogControl::pins(const net::HttpExchange& exchange) {
  auto query = net::parse_query(exchange.request.query);
  if (!query) co_return query.error();
  auto taken = check_taken(*query, "none");
  if (!taken) co_return taken.error();
  auto reading = operations_.run_time->changed_tools();
  auto changed = co_await reading;
  if (!changed) co_return changed.error();
  std::string list;
  std::size_t count = 0;
  for (const auto& tool : *changed) {
    if (count++ == kMaxPins) break;
    list += (list.empty() ? "" : ",") + changed_json(tool);
  }
  json::escape_invisible(list);
  co_return fmt::format(R"({{"changed":[{}],"count":{}}})", list, changed->size());
}

bool CatalogControl::has_tool(const Named& named) const {
  return std::ranges::any_of(catalog_.whole()->entries(mcp::ItemKind::tool), [&](const auto& one) {
    return one.upstream->name() == named.upstream && one.key == named.tool;
  });
}

void CatalogControl::note(const net::HttpExchange& exchange, const Named& named,
                          const Result<void>& done) {
  auto record = policy::event_record(policy::kToolEvent, *exchange.caller);
  record.from = exchange.peer.ip;
  record.method = named.action;
  record.target = fmt::format("{}.{}", named.upstream, named.tool);
  record.upstream = named.upstream;
  if (!done) record.outcome = info(done.error().code).name;
  recorder_.event(std::move(record));
}

Task<std::string> CatalogControl::switch_tool(const net::HttpExchange& exchange, Named named) {
  const bool on = named.action == "on";
  if (!on && named.action != "off") {
    co_return Error{Code::not_found, fmt::format("POST to {}UPSTREAM/TOOL/off or /on", kTools)};
  }
  Result<void> done = ok();
  if (!on && !has_tool(named)) {
    done = Error{Code::not_found,
                 fmt::format("the upstream '{}' offers no tool '{}'", named.upstream, named.tool)};
  } else {
    auto setting =
        operations_.run_time->set_tool({named.upstream, named.tool, exchange.caller->name}, on);
    done = co_await setting;
  }
  note(exchange, named, done);
  if (!done) co_return done.error();
  co_return fmt::format(R"({{"upstream":{},"tool":{},"off":{}}})", json::quote(named.upstream),
                        json::quote(named.tool), !on);
}

Task<std::string> CatalogControl::accept(const net::HttpExchange& exchange, Named named) {
  auto query = net::parse_query(exchange.request.query);
  if (!query) co_return query.error();
  const auto digest = query->extract("digest");
  auto taken = check_taken(*query, "digest");
  if (!taken) co_return taken.error();
  if (named.action != "accept" || !digest) {
    co_return Error{Code::invalid_request,
                    fmt::format("POST to {}/UPSTREAM/TOOL/accept?digest=…", kPins)};
  }
  auto accepting = operations_.run_time->accept_tool(named.upstream, named.tool, digest.mapped());
  auto accepted = co_await accepting;
  note(exchange, named, accepted);
  if (!accepted) co_return accepted.error();
  co_return fmt::format(R"({{"upstream":{},"tool":{},"accepted":true}})",
                        json::quote(named.upstream), json::quote(named.tool));
}

Task<std::string> CatalogControl::answer(const net::HttpExchange& exchange) {
  if (!is_admin(*exchange.caller, catalog_)) co_return admins_only();
  if (!operations_.run_time) co_return Error{Code::not_found, "nothing can be changed here"};
  const std::string_view path = exchange.request.path;
  if (path == kToolsOff) co_return tools_off(exchange);
  if (path == kHidden) {
    auto looking = hidden(exchange);
    co_return co_await looking;
  }
  if (path == kPins) {
    auto listing = pins(exchange);
    co_return co_await listing;
  }
  const bool tools = path.starts_with(kTools);
  auto target = named(path.substr(tools ? kTools.size() : kPins.size() + 1));
  if (!target) co_return target.error();
  auto changing =
      tools ? switch_tool(exchange, *std::move(target)) : accept(exchange, *std::move(target));
  co_return co_await changing;
}

Task<void> CatalogControl::handle(net::HttpExchange& exchange) {
  return answer_json(exchange, answer(exchange));
}

}  // namespace patchbay::frontends
