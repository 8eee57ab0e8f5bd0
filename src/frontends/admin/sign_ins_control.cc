#include "frontends/admin/sign_ins_control.h"

#include <fmt/format.h>

#include "frontends/admin/admin.h"
#include "frontends/json_answer.h"
#include "json/text.h"
#include "net/http/syntax/percent.h"

namespace patchbay::frontends {
namespace {

constexpr std::string_view kPath = "/control/sign-ins/";

}  // namespace

Result<bool> SignInsControl::is_for_gateway(const net::HttpExchange& exchange,
                                            const std::string& upstream) {
  auto query = net::parse_query(exchange.request.query);
  if (!query) return query.error();
  const auto owner = query->find("for");
  const bool asked = owner != query->end();
  if (asked && owner->second != "gateway") {
    return Error{Code::invalid_request, "the only valid value of `for` is gateway"};
  }
  const auto shared = service_.is_shared(upstream);
  const auto catalog = catalog_.current(*exchange.caller);
  const bool admin = is_admin(*exchange.caller, catalog_);
  const bool there = !catalog->access() || catalog->access()->reaches(upstream);
  const bool for_gateway = asked || shared.value_or(false);
  // An upstream that the caller may not use does not exist for it.
  if (!shared || (!there && !(admin && for_gateway))) {
    return Error{Code::not_found, fmt::format("there is no upstream '{}' with sign-in", upstream)};
  }
  if (for_gateway && !admin) return admins_only();
  return for_gateway;
}

Task<std::string> SignInsControl::answer(const net::HttpExchange& exchange) {
  auto name = net::percent_decode(exchange.request.path.substr(kPath.size()));
  if (!name) co_return name.error();
  const std::string_view method = exchange.request.method;
  if (method == "GET" || method == "HEAD") {
    auto state = co_await service_.state(*name);
    if (!state) co_return state.error();
    if (state->owner != exchange.caller->id && !is_admin(*exchange.caller, catalog_)) {
      co_return Error{Code::forbidden, "this sign-in belongs to another caller"};
    }
    co_return fmt::format(R"({{"id":{},"state":{}}})", json::quote(*name),
                          json::quote(state->text));
  }
  auto for_gateway = is_for_gateway(exchange, *name);
  if (!for_gateway) co_return for_gateway.error();
  if (method == "DELETE") {
    auto forgotten = co_await service_.forget(*name, exchange.caller, *for_gateway);
    if (!forgotten) co_return forgotten.error();
    co_return std::string("{}");
  }
  auto offer = co_await service_.offer(*name, exchange.caller, *for_gateway);
  if (!offer) co_return offer.error();
  co_return fmt::format(R"({{"id":{},"url":{}}})", json::quote(offer->id), json::quote(offer->url));
}

Task<void> SignInsControl::handle(net::HttpExchange& exchange) {
  return answer_json(exchange, answer(exchange));
}

}  // namespace patchbay::frontends
