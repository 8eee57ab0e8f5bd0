#include "frontends/admin/sandbox_control.h"

#include <fmt/format.h>

#include <chrono>

#include "frontends/admin/admin.h"
#include "frontends/admin/call_filter.h"
#include "frontends/json_answer.h"
#include "frontends/time_json.h"
#include "json/invisible.h"
#include "json/write.h"
#include "net/http/syntax/percent.h"
#include "policy/audit/record.h"

namespace patchbay::frontends {
namespace {

constexpr std::size_t kMaxListed = 500;

std::string run_json(const gateway::SandboxRun& run) {
  std::string text;
  json::Object object(text);
  object.raw("method", json::quote(run.method));
  object.raw("verdict", json::quote(run.verdict));
  object.raw("exit_code", std::to_string(run.exit_code));
  object.raw("ended", time_json(run.when));
  object.raw("stdout", json::quote(run.out));
  object.raw("stderr", json::quote(run.err));
  object.end();
  return text;
}

// 0 stands for no bound, and for nothing that measures.
std::string known(std::uint64_t value) { return value == 0 ? "null" : std::to_string(value); }

std::string sandbox_json(std::string_view upstream, const gateway::SandboxLine& line) {
  std::string text;
  json::Object object(text);
  object.raw("upstream", json::quote(upstream));
  object.raw("id", json::quote(line.id));
  object.raw("owner", json::quote(line.owner));
  object.raw("isolation", json::quote(line.isolation));
  object.raw("warm", line.warm ? "true" : "false");
  object.raw("in_use", std::to_string(line.uses));
  object.raw("created", time_json(line.created));
  object.raw("expires", time_json(line.expires));
  object.raw("memory_bytes", known(line.memory_now));
  object.raw("memory_peak_bytes", known(line.memory_peak));
  object.raw("memory_limit_bytes", known(line.memory_limit));
  object.raw("cpu_us", known(line.cpu_us));
  object.raw("cpu_limit_us", known(line.cpu_limit_us));
  object.raw("disk_limit_bytes", known(line.disk_limit));
  object.raw("pids_limit", known(static_cast<std::uint64_t>(line.pids_limit)));
  object.raw("pids_refused", std::to_string(line.pids_refused));
  object.raw("out_of_memory", std::to_string(line.out_of_memory));
  if (line.has_run) object.raw("last_run", run_json(line.last));
  object.end();
  return text;
}

}  // namespace

SandboxControl::Host SandboxControl::host(const std::string& upstream) const {
  const auto& find = operations_.find_upstream;
  return std::dynamic_pointer_cast<gateway::SandboxHost>(find ? find(upstream) : nullptr);
}

Task<std::string> SandboxControl::list(Caller caller) {
  const std::string owner = is_admin(*caller, catalog_) ? "" : caller->id;
  std::string list;
  std::size_t count = 0;
  for (const auto& line : operations_.upstreams()) {
    const auto found = host(line.name);
    if (!found) continue;
    auto reading = found->sandboxes(owner);
    auto lines = co_await reading;
    if (!lines) co_return lines.error();
    for (const auto& one : *lines) {
      if (++count > kMaxListed) break;
      list += (list.empty() ? "" : ",") + sandbox_json(line.name, one);
    }
  }
  // What programs write may contain anything.
  json::escape_invisible(list);
  co_return fmt::format(R"({{"sandboxes":[{}],"count":{}}})", list, count);
}

Task<std::string> SandboxControl::destroy(const net::HttpExchange& exchange, std::string upstream,
                                          std::string id) {
  const bool admin = is_admin(*exchange.caller, catalog_);
  const auto found = host(upstream);
  if (!found) co_return Error{Code::not_found, "there is no such sandbox"};
  auto ending = found->destroy_sandbox(id, admin ? "" : exchange.caller->id);
  auto ended = co_await ending;
  // A sandbox of another caller does not exist for this one, so nothing has happened.
  if (!ended) co_return Error{Code::not_found, "there is no such sandbox"};
  auto record = policy::event_record(policy::kSandboxEvent, *exchange.caller);
  record.from = exchange.peer.ip;
  record.method = "destroy";
  record.target = id;
  record.upstream = upstream;
  recorder_.event(std::move(record));
  co_return fmt::format(R"({{"upstream":{},"id":{},"destroyed":true}})", json::quote(upstream),
                        json::quote(id));
}

Task<std::string> SandboxControl::answer(const net::HttpExchange& exchange) {
  std::string_view rest = std::string_view(exchange.request.path).substr(kPath.size());
  if (rest.empty()) {
    auto query = net::parse_query(exchange.request.query);
    if (!query) co_return query.error();
    auto taken = check_taken(*query, "none");
    if (!taken) co_return taken.error();
    auto listing = list(exchange.caller);
    co_return co_await listing;
  }
  rest.remove_prefix(1);
  const std::size_t slash = rest.find('/');
  if (slash == std::string_view::npos) {
    co_return Error{Code::not_found, fmt::format("DELETE {}/UPSTREAM/ID", kPath)};
  }
  auto upstream = net::percent_decode(rest.substr(0, slash));
  auto id = net::percent_decode(rest.substr(slash + 1));
  if (!upstream || !id) co_return Error{Code::invalid_request, "the path is not well-formed"};
  auto ending = destroy(exchange, *std::move(upstream), *std::move(id));
  co_return co_await ending;
}

Task<void> SandboxControl::handle(net::HttpExchange& exchange) {
  return answer_json(exchange, answer(exchange));
}

}  // namespace patchbay::frontends
