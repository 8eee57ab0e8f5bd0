#include "frontends/admin/registrations_page.h"

#include <fmt/format.h>

#include <algorithm>

#include "core/text.h"
#include "frontends/admin/admin.h"
#include "frontends/content_types.h"
#include "frontends/error_body.h"
#include "json/read.h"
#include "json/write.h"
#include "net/http/syntax/percent.h"

namespace patchbay::frontends {
namespace {

constexpr auto kTimeout = std::chrono::seconds(10);

Error no_such(std::string_view name) {
  return {Code::not_found, fmt::format("nothing is registered as '{}'", name)};
}

// The registration of that name; empty if there is none.
std::string find(const std::vector<std::string>& all, std::string_view name) {
  const auto found = std::ranges::find_if(
      all, [&](const std::string& one) { return json::string_member(one, "name") == name; });
  return found == all.end() ? "" : *found;
}

// `base` with the members of `patch` replacing its own; null removes one.
std::string merged(std::string_view base, std::string_view patch) {
  std::string out;
  json::Object object(out);
  json::each_member(base, [&](std::string_view key, std::string_view raw) {
    if (!json::member(patch, key)) object.raw(key, raw);
  });
  json::each_member(patch, [&](std::string_view key, std::string_view raw) {
    if (raw != "null") object.raw(key, raw);
  });
  object.end();
  return out;
}

Result<void> check_object(std::string_view body) {
  if (json::check(body) && json::type_of(body) == json::Type::object) return ok();
  return Error{Code::invalid_request, "the body must be a JSON object"};
}

}  // namespace

// The registrar that `upstream` in the query names, or the only one.
Result<RegistrationsPage::Registrar> RegistrationsPage::registrar_of(
    const net::HttpExchange& exchange) const {
  auto query = net::parse_query(exchange.request.query);
  if (!query) return query.error();
  const auto wanted = query->find("upstream");
  const auto all = registrars_();
  for (const auto& one : all) {
    if (wanted != query->end() && one->registrar_name() == wanted->second) return one;
  }
  if (wanted == query->end() && all.size() == 1) return all.front();
  if (all.empty()) return Error{Code::not_found, "there is no upstream of kind kafka"};
  std::string names;
  for (const auto& one : all) names += fmt::format(" {}", one->registrar_name());
  return Error{Code::invalid_request, fmt::format("?upstream= must be one of:{}", names)};
}

Task<void> RegistrationsPage::handle(net::HttpExchange& exchange) {
  auto answered = co_await answer(exchange);
  const int status = answered ? answered->status : info(answered.error().code).http;
  const std::string body = answered ? answered->body : error_json(answered.error().message);
  co_return co_await exchange.answer(status, kJsonUtf8, {body});
}

Task<RegistrationsPage::Answer> RegistrationsPage::answer(const net::HttpExchange& exchange) {
  if (!is_admin(*exchange.caller, catalog_)) co_return admins_only();
  const std::string_view path = exchange.request.path;
  const std::string_view root = path.starts_with(kPath) ? kPath : kOnePath;
  auto name = net::percent_decode(path.size() > root.size() ? path.substr(root.size() + 1) : "");
  if (!name) co_return name.error();
  auto registrar = registrar_of(exchange);
  if (!registrar) co_return registrar.error();
  const std::string_view method = exchange.request.method;
  if (method == "GET" || method == "HEAD") co_return co_await list(*registrar, *name);
  const bool adds = method == "POST" && name->empty();
  const bool changes = method == "PATCH";
  if (adds || changes || (method == "DELETE" && !name->empty())) {
    auto task = adds      ? add(*registrar, exchange.body)
                : changes ? change(*registrar, *name, exchange.body)
                          : remove(*registrar, *name);
    auto answer = co_await task;
    if (name->empty()) *name = json::string_member(exchange.body, "name").value_or("");
    note(exchange, (*registrar)->registrar_name(), *name, answer);
    co_return answer;
  }
  co_return Error{Code::invalid_request, method == "POST"
                                             ? fmt::format("POST to {}; PATCH changes one", kPath)
                                             : fmt::format("which one? {}/NAME", kPath)};
}

void RegistrationsPage::note(const net::HttpExchange& exchange, std::string_view upstream,
                             const std::string& name, const Result<Answer>& answer) {
  auto record = policy::event_record(policy::kRegistrationEvent, *exchange.caller);
  record.from = exchange.peer.ip;
  record.method = ascii_lower(exchange.request.method);
  record.target = name;
  record.upstream = upstream;
  if (!answer) record.outcome = info(answer.error().code).name;
  if (answer && answer->status >= 400) record.outcome = info(Code::invalid_request).name;
  recorder_.event(std::move(record));
}

Task<RegistrationsPage::Answer> RegistrationsPage::list(Registrar registrar, std::string name) {
  auto all = co_await registrar->registrations();
  if (!all) co_return all.error();
  if (!name.empty()) {
    auto one = find(*all, name);
    if (one.empty()) co_return no_such(name);
    co_return Answer{200, std::move(one)};
  }
  std::string list;
  for (const auto& one : *all) list += (list.empty() ? "" : ",") + one;
  co_return Answer{200, fmt::format("[{}]", list)};
}

Task<RegistrationsPage::Answer> RegistrationsPage::add(Registrar registrar, std::string_view body) {
  auto whole = check_object(body);
  if (!whole) co_return whole.error();
  auto all = co_await registrar->registrations();
  if (!all) co_return all.error();
  const auto name = json::string_member(body, "name").value_or("");
  // An unreadable registration may be corrected.
  const auto topic = json::string_member(find(*all, name), "requestTopicName").value_or("");
  if (!topic.empty()) {
    co_return Answer{409, error_json(fmt::format("'{}' is registered already", name))};
  }
  auto written = co_await registrar->put_registration(std::string(body), here().now() + kTimeout);
  if (!written) co_return written.error();
  co_return Answer{201, *std::move(written)};
}

Task<RegistrationsPage::Answer> RegistrationsPage::change(Registrar registrar, std::string name,
                                                          std::string_view body) {
  auto whole = check_object(body);
  if (!whole) co_return whole.error();
  const auto given = json::string_member(body, "name").value_or(name);
  if (name.empty()) name = given;
  if (given != name) {
    co_return Error{Code::invalid_request, "a name cannot be changed: register a new one"};
  }
  auto all = co_await registrar->registrations();
  if (!all) co_return all.error();
  const std::string before = find(*all, name);
  if (before.empty()) co_return no_such(name);
  auto written =
      co_await registrar->put_registration(merged(before, body), here().now() + kTimeout);
  if (!written) co_return written.error();
  co_return Answer{200, *std::move(written)};
}

Task<RegistrationsPage::Answer> RegistrationsPage::remove(Registrar registrar, std::string name) {
  auto all = co_await registrar->registrations();
  if (!all) co_return all.error();
  if (find(*all, name).empty()) co_return no_such(name);
  auto removed = co_await registrar->remove_registration(name, here().now() + kTimeout);
  if (!removed) co_return removed.error();
  co_return Answer{200, fmt::format("{{\"unregistered\":{}}}", json::quote(name))};
}

}  // namespace patchbay::frontends
