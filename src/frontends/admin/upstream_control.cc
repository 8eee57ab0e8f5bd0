#include "frontends/admin/upstream_control.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <optional>

#include "frontends/admin/admin.h"
#include "frontends/admin/upstream_json.h"
#include "frontends/json_answer.h"
#include "frontends/time_json.h"
#include "json/invisible.h"
#include "json/write.h"
#include "net/http/syntax/percent.h"
#include "net/process/stderr_tails.h"
#include "observe/log.h"
#include "policy/audit/record.h"

namespace patchbay::frontends {
namespace {

constexpr std::chrono::seconds kWindow{10};

// What an admin may do to an upstream.
struct Action {
  std::string_view name;
  std::optional<UpstreamMode> mode;  // None: it restarts.
};
constexpr std::array kActions{
    Action{"restart", std::nullopt}, Action{"drain", UpstreamMode::drained},
    Action{"disable", UpstreamMode::disabled}, Action{"enable", UpstreamMode::enabled}};

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

std::string instances_json(const gateway::Upstream& upstream) {
  std::string list;
  for (const auto& one : upstream.instances()) {
    if (!list.empty()) list += ',';
    json::Object object(list);
    object.raw("state", one.up ? "\"up\"" : "\"down\"");
    object.raw("since", time_json(one.since));
    object.raw("shared", one.shared ? "true" : "false");
    object.raw("in_flight", std::to_string(one.running));
  }
  return "[" + list + "]";
}

std::string_view state_of(const oauth::TokenReport& report) {
  if (report.has_token) return "token";
  if (report.wants_sign_in) return "sign_in_needed";
  return report.failure.empty() ? "unused" : "failed";
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

Task<std::string> UpstreamControl::show(Caller caller, std::string name) {
  auto lines = shared_.operations.upstreams();
  const auto line = std::ranges::find(lines, name, &UpstreamLine::name);
  if (line == lines.end() || !sees(*caller, name)) co_return no_upstream(name);
  if (!is_admin(*caller, catalog_)) line->switched.by.clear();
  const auto load = shared_.load.window(here().now(), kWindow);
  const auto counters = load.now->upstreams.find(name);
  std::string text = upstream_object(
      *line, counters == load.now->upstreams.end() ? LoadCounters() : counters->second);
  text.pop_back();
  const auto& find = shared_.operations.find_upstream;
  if (const auto upstream = find ? find(name) : nullptr) {
    text += fmt::format(",\"instance_list\":{}", instances_json(*upstream));
  }
  auto asking = sign_in(caller, name);
  auto signed_in = co_await asking;
  if (!signed_in) co_return signed_in.error();
  if (!signed_in->empty()) text += fmt::format(",\"sign_in\":{}", *signed_in);
  // What programs write may contain anything.
  if (is_admin(*caller, catalog_)) text += fmt::format(",\"stderr\":{}", stderr_json(name));
  text += '}';
  json::escape_invisible(text);
  co_return text;
}

// Empty if the upstream needs no tokens.
Task<std::string> UpstreamControl::sign_in(Caller caller, std::string name) {
  auto reading = tokens_.report(std::move(name), caller);
  auto read = co_await reading;
  if (!read) co_return read.error();
  if (!*read) co_return std::string();
  const oauth::TokenReport& report = **read;
  const bool admin = is_admin(*caller, catalog_);
  std::string text;
  json::Object object(text);
  object.raw("kind", json::quote(report.kind));
  object.raw("interactive", report.interactive ? "true" : "false");
  object.raw("per_caller", report.per_caller ? "true" : "false");
  object.raw("state", json::quote(state_of(report)));
  if (!report.failure.empty()) object.raw("detail", json::quote(report.failure));
  if (report.expires_in) object.raw("expires_in_s", std::to_string(report.expires_in->count()));
  if (admin) object.raw("holders", std::to_string(report.holders));
  object.raw("may_sign_in", report.interactive && (report.per_caller || admin) ? "true" : "false");
  object.end();
  co_return text;
}

Task<void> UpstreamControl::apply(const net::HttpExchange& exchange, const std::string& name,
                                  std::string_view action) {
  const auto* const row = std::ranges::find(kActions, action, &Action::name);
  if (!row->mode) {
    const auto& find = shared_.operations.find_upstream;
    const auto upstream = find ? find(name) : nullptr;
    if (!upstream) co_return no_upstream(name);
    auto restarting = upstream->restart();
    co_return co_await restarting;
  }
  RunTime* const run_time = shared_.operations.run_time;
  if (!run_time) co_return no_upstream(name);
  auto setting = run_time->set_upstream(name, *row->mode, exchange.caller->name);
  co_return co_await setting;
}

Task<std::string> UpstreamControl::change(const net::HttpExchange& exchange, std::string name,
                                          std::string_view action) {
  if (!is_admin(*exchange.caller, catalog_)) co_return admins_only();
  auto applying = apply(exchange, name, action);
  auto applied = co_await applying;
  auto record = policy::event_record(policy::kUpstreamEvent, *exchange.caller);
  record.from = exchange.peer.ip;
  record.method = action;
  record.target = name;
  record.upstream = name;
  if (!applied) record.outcome = info(applied.error().code).name;
  recorder_.event(std::move(record));
  if (!applied) co_return applied.error();
  const auto* const row = std::ranges::find(kActions, action, &Action::name);
  if (row->mode) {
    co_return fmt::format(R"({{"upstream":{},"mode":"{}"}})", json::quote(name),
                          name_of(*row->mode));
  }
  log::Line(log::Level::info, "upstream restarted")
      .add("upstream", name)
      .add("by", exchange.caller->name);
  co_return fmt::format("{{\"upstream\":{},\"restarting\":true}}", json::quote(name));
}

Task<std::string> UpstreamControl::answer(const net::HttpExchange& exchange) {
  std::string_view rest = exchange.request.path.substr(kPath.size());
  const bool posts = exchange.request.method == "POST";
  const std::size_t slash = rest.rfind('/');
  const std::string_view action =
      slash == std::string_view::npos ? std::string_view() : rest.substr(slash + 1);
  const bool known = std::ranges::find(kActions, action, &Action::name) != kActions.end();
  if (known) rest = rest.substr(0, slash);
  auto name = net::percent_decode(rest);
  if (!name) co_return name.error();
  if (posts != known) {
    co_return Error{Code::invalid_request,
                    fmt::format("POST to {}NAME/restart, /drain, /disable or /enable", kPath)};
  }
  auto answering =
      posts ? change(exchange, *std::move(name), action) : show(exchange.caller, *std::move(name));
  co_return co_await answering;
}

Task<void> UpstreamControl::handle(net::HttpExchange& exchange) {
  const bool posted = exchange.request.method == "POST";
  return answer_json(exchange, answer(exchange), {.status = posted ? 202 : 200});
}

}  // namespace patchbay::frontends
