#include "frontends/admin/upstream_control.h"

#include <fmt/format.h>

#include <algorithm>

#include "frontends/admin/admin.h"
#include "frontends/admin/upstream_json.h"
#include "frontends/content_types.h"
#include "json/invisible.h"
#include "json/write.h"
#include "net/http/syntax/percent.h"
#include "net/process/stderr_tails.h"
#include "observe/log.h"
#include "policy/audit/record.h"

namespace patchbay::frontends {
namespace {

constexpr std::string_view kRestart = "/restart";
constexpr std::chrono::seconds kWindow{10};

std::string stderr_json(std::string_view upstream) {
  std::string list;
  for (const auto& line : upstreams::stderr_tails().of(upstream)) {
    const auto when =
        std::chrono::duration_cast<std::chrono::milliseconds>(line.when.time_since_epoch());
    if (!list.empty()) list += ',';
    json::Object object(list);
    object.raw("when", json::quote(policy::time_text(when.count())));
    object.raw("line", json::quote(line.text));
  }
  return "[" + list + "]";
}

Error no_upstream(std::string_view name) {
  return {Code::not_found, fmt::format("there is no upstream '{}'", name)};
}

}  // namespace

bool UpstreamControl::sees(const Principal& caller, const std::string& name) const {
  if (is_admin(caller, catalog_)) return true;
  const auto catalog = catalog_.current(caller);
  return !catalog->access() || catalog->access()->reaches(name);
}

Result<std::string> UpstreamControl::show(const Principal& caller, const std::string& name) {
  const auto lines = shared_.operations.upstreams();
  const auto line = std::ranges::find(lines, name, &UpstreamLine::name);
  if (line == lines.end() || !sees(caller, name)) return no_upstream(name);
  const auto load = shared_.load.window(here().now(), kWindow);
  const auto counters = load.now->upstreams.find(name);
  std::string text = upstream_object(
      *line, counters == load.now->upstreams.end() ? LoadCounters() : counters->second);
  text.pop_back();
  // What programs write may contain anything.
  if (is_admin(caller, catalog_)) text += fmt::format(",\"stderr\":{}", stderr_json(name));
  text += '}';
  json::escape_invisible(text);
  return text;
}

Task<std::string> UpstreamControl::restart(const net::HttpExchange& exchange, std::string name) {
  if (!is_admin(*exchange.caller, catalog_)) co_return admins_only();
  const auto& find = shared_.operations.find_upstream;
  const auto upstream = find ? find(name) : nullptr;
  if (!upstream) co_return no_upstream(name);
  auto restarting = upstream->restart();
  auto restarted = co_await restarting;
  auto record = policy::event_record(policy::kUpstreamEvent, *exchange.caller);
  record.from = exchange.peer.ip;
  record.method = "restart";
  record.target = name;
  record.upstream = name;
  if (!restarted) record.outcome = info(restarted.error().code).name;
  recorder_.event(std::move(record));
  if (!restarted) co_return restarted.error();
  log::Line(log::Level::info, "upstream restarted")
      .add("upstream", name)
      .add("by", exchange.caller->name);
  co_return fmt::format("{{\"upstream\":{},\"restarting\":true}}", json::quote(name));
}

Task<std::string> UpstreamControl::answer(const net::HttpExchange& exchange) {
  std::string_view rest = exchange.request.path.substr(kPath.size());
  const bool posts = exchange.request.method == "POST";
  const bool restarts = rest.ends_with(kRestart);
  if (restarts) rest.remove_suffix(kRestart.size());
  auto name = net::percent_decode(rest);
  if (!name) co_return name.error();
  if (posts && restarts) {
    auto restarting = restart(exchange, *std::move(name));
    co_return co_await restarting;
  }
  if (posts || restarts) {
    co_return Error{Code::invalid_request, fmt::format("POST to {}NAME{}", kPath, kRestart)};
  }
  co_return show(*exchange.caller, *name);
}

Task<void> UpstreamControl::handle(net::HttpExchange& exchange) {
  auto answering = answer(exchange);
  auto text = co_await answering;
  const bool posted = exchange.request.method == "POST";
  if (text) co_return co_await exchange.answer(posted ? 202 : 200, kJsonUtf8, {*text, "\n"});
  const std::string error = fmt::format("{{\"error\":{}}}", json::quote(text.error().message));
  co_return co_await exchange.answer(info(text.error().code).http, kJsonUtf8, {error});
}

}  // namespace patchbay::frontends
