#include "frontends/sign_ins_control.h"

#include <fmt/format.h>

#include "frontends/admin.h"
#include "frontends/content_types.h"
#include "json/text.h"
#include "net/percent.h"

namespace patchbay::frontends {
namespace {

constexpr std::string_view kPath = "/control/sign-ins/";

}  // namespace

Result<Caller> SignInsControl::person(const net::HttpExchange& exchange) const {
  auto query = net::parse_query(exchange.request.query);
  if (!query) return query.error();
  const auto whom = query->find("for");
  if (whom == query->end()) return exchange.who;
  if (whom->second != "gateway") {
    return Error{Code::invalid_request, "for=gateway is all that can be said here"};
  }
  if (is_admin(*exchange.who, catalog_)) return local_caller();
  return admins_only();
}

Task<std::string> SignInsControl::answer(const net::HttpExchange& exchange) {
  auto name = net::percent_decode(exchange.request.path.substr(kPath.size()));
  if (!name) co_return name.error();
  const std::string_view method = exchange.request.method;
  if (method == "GET" || method == "HEAD") {
    auto state = co_await keeper_.state(*name);
    if (!state) co_return state.error();
    co_return fmt::format(R"({{"id":{},"state":{}}})", json::quote(*name), json::quote(*state));
  }
  auto who = person(exchange);
  if (!who) co_return who.error();
  if (method == "DELETE") {
    auto forgotten = co_await keeper_.forget(*name, *who);
    if (!forgotten) co_return forgotten.error();
    co_return std::string("{}");
  }
  auto offer = co_await keeper_.offer(*name, *who);
  if (!offer) co_return offer.error();
  co_return fmt::format(R"({{"id":{},"url":{}}})", json::quote(offer->id), json::quote(offer->url));
}

Task<void> SignInsControl::handle(net::HttpExchange& exchange) {
  auto text = co_await answer(exchange);
  if (text) co_return co_await exchange.answer(200, kJsonUtf8, {*text});
  const std::string error = fmt::format("{{\"error\":{}}}", json::quote(text.error().message));
  co_return co_await exchange.answer(info(text.error().code).http, kJsonUtf8, {error});
}

}  // namespace patchbay::frontends
