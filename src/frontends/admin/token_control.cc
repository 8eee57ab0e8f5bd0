#include "frontends/admin/token_control.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "config/units.h"
#include "frontends/admin/admin.h"
#include "frontends/admin/call_filter.h"
#include "frontends/json_answer.h"
#include "json/index.h"
#include "json/invisible.h"
#include "json/read.h"
#include "json/write.h"
#include "net/http/syntax/percent.h"
#include "observe/log.h"
#include "policy/audit/record.h"
#include "policy/auth/token_hash.h"

namespace patchbay::frontends {
namespace {

using policy::StoredToken;

constexpr std::size_t kMaxTokenBody = 16 << 10;
constexpr std::size_t kMaxValues = 200;     // In a body.
constexpr std::size_t kMaxTokenName = 100;  // Bytes; also of a role.
constexpr std::size_t kMaxRoles = 50;
constexpr std::size_t kMaxTokensListed = 500;

Error wrong(std::string why) { return {Code::invalid_params, std::move(why)}; }

std::int64_t now_seconds() {
  const auto since = std::chrono::system_clock::now().time_since_epoch();
  return std::chrono::duration_cast<std::chrono::seconds>(since).count();
}

bool is_name(std::string_view text) {
  const auto control = [](char c) { return static_cast<unsigned char>(c) < 0x20 || c == 0x7F; };
  return !text.empty() && text.size() <= kMaxTokenName && std::ranges::none_of(text, control);
}

std::string names_json(const auto& texts) {
  std::string list = "[";
  for (const auto& text : texts) list += (list.size() > 1 ? "," : "") + json::quote(text);
  return list + "]";
}

void add_members(json::Object& object, const StoredToken& token) {
  object.raw("id", json::quote(token.hash.id()));
  object.raw("name", json::quote(token.name));
  object.raw("roles", names_json(token.roles));
  object.raw("scopes", names_json(token.scopes));
  object.raw("created", json::quote(policy::time_text(token.created * 1000)));
  if (!token.expires) return;
  // The file may have any number; a date has four digits for its year.
  const std::int64_t until = std::clamp<std::int64_t>(*token.expires, 0, 253'402'300'799);
  object.raw("expires", json::quote(policy::time_text(until * 1000)));
  object.raw("expired", until <= now_seconds() ? "true" : "false");
}

// The file has the newest last.
std::string tokens_json(const std::vector<StoredToken>& tokens) {
  std::string list = "[";
  const std::size_t count = std::min(tokens.size(), kMaxTokensListed);
  for (std::size_t i = 0; i < count; ++i) {
    if (i > 0) list += ',';
    json::Object object(list);
    add_members(object, tokens[tokens.size() - 1 - i]);
  }
  return list + "]";
}

// The members of the body; all are strings but `roles`.
struct Body {
  std::string name;
  std::vector<std::string> roles;
  std::string expires;
};

Result<std::vector<std::string>> read_roles(std::string_view raw) {
  if (json::type_of(raw) != json::Type::array) return wrong("`roles` must be a list of strings");
  std::vector<std::string> roles;
  bool proper = true;
  json::each_element(raw, [&](std::string_view one) {
    auto role = json::as_string(one);
    proper = proper && role && is_name(*role) && roles.size() < kMaxRoles;
    if (proper) roles.push_back(*std::move(role));
  });
  if (proper) return roles;
  return wrong(fmt::format("`roles` must be at most {} names of at most {} bytes", kMaxRoles,
                           kMaxTokenName));
}

Result<Body> read_body(std::string_view text) {
  if (text.size() > kMaxTokenBody) {
    return Error{Code::too_large, fmt::format("the body has at most {} KiB", kMaxTokenBody >> 10)};
  }
  auto index = json::Index::of(text, kMaxValues);
  if (!index || json::type_of(text) != json::Type::object) {
    return wrong("the body must be a JSON object such as {\"name\":\"ann\",\"expires\":\"24h\"}");
  }
  Body body;
  Result<void> read = ok();
  json::each_member(text, [&](std::string_view key, std::string_view raw) {
    if (!read) return;
    auto value = json::as_string(raw);
    if (key == "roles") {
      auto roles = read_roles(raw);
      if (roles) body.roles = *std::move(roles);
      if (!roles) read = roles.error();
    } else if (key != "name" && key != "expires") {
      read = wrong("the body may have only `name`, `roles` and `expires`");
    } else if (!value) {
      read = wrong(fmt::format("`{}` must be a string", key));
    } else {
      (key == "name" ? body.name : body.expires) = *std::move(value);
    }
  });
  if (!read) return read.error();
  return body;
}

}  // namespace

// With rules, a role can also come from a scope of the admin.
bool TokenControl::may_give(const Principal& admin, const std::string& role) const {
  if (std::ranges::find(admin.roles, role) != admin.roles.end()) return true;
  return catalog_.rules() && catalog_.rules()->has_role(admin, role);
}

std::string TokenControl::roles_to_give(const Principal& admin) const {
  std::set<std::string> roles(admin.roles.begin(), admin.roles.end());
  if (catalog_.rules()) {
    for (auto& role : catalog_.rules()->roles()) {
      const bool named = role != policy::kAnyRole && role != policy::kLocalRole;
      if (named && may_give(admin, role)) roles.insert(std::move(role));
    }
  }
  return names_json(roles);
}

Task<std::string> TokenControl::list(const net::HttpExchange& exchange) {
  auto query = net::parse_query(exchange.request.query);
  if (!query) co_return query.error();
  auto taken = check_taken(*query, "none");
  if (!taken) co_return taken.error();
  auto looking = shared_.operations.caller_tokens->store();
  auto store = co_await looking;
  if (!store) co_return store.error();
  std::vector<StoredToken> tokens;
  if (store->read) {
    // A large file takes longer than a worker may be held up.
    auto reading = shared_.run_job<std::vector<StoredToken>>(store->read);
    auto read = co_await reading;
    if (!read) co_return read.error();
    tokens = *std::move(read);
  }
  std::string text;
  json::Object object(text);
  object.raw("needed", store->needed ? "true" : "false");
  if (!store->closed.empty()) object.raw("closed", json::quote(store->closed));
  object.raw("count", std::to_string(tokens.size()));
  object.raw("tokens", tokens_json(tokens));
  object.raw("roles", roles_to_give(*exchange.caller));
  if (store->closed.empty()) {
    object.raw("max_tokens", std::to_string(store->max_tokens));
    object.raw("max_lifetime_s", std::to_string(store->max_lifetime.count()));
  }
  object.end();
  json::escape_invisible(text);
  co_return text;
}

Result<TokenControl::TokenRequest> TokenControl::read_request(const net::HttpExchange& exchange,
                                                              const TokenStore& store) const {
  if (!store.closed.empty()) return Error{Code::invalid_request, store.closed};
  auto body = read_body(exchange.body);
  if (!body) return body.error();
  if (!is_name(body->name)) {
    return wrong(
        fmt::format("`name` must be the name of a caller, of at most {} bytes", kMaxTokenName));
  }
  for (const auto& role : body->roles) {
    if (may_give(*exchange.caller, role)) continue;
    return Error{Code::forbidden,
                 fmt::format("you do not have the role '{}', so you cannot give it; `patchbay "
                             "token create` on the machine of the gateway can",
                             role)};
  }
  TokenRequest wanted{body->name, body->roles, store.max_lifetime};
  if (body->expires.empty()) return wanted;
  auto span = config::parse_duration(body->expires);
  if (!span) return wrong("`expires`: " + span.error().message);
  wanted.lifetime = std::chrono::duration_cast<std::chrono::seconds>(*span);
  if (wanted.lifetime.count() < 1) return wrong("`expires` must be at least 1s");
  if (wanted.lifetime <= store.max_lifetime) return wanted;
  return wrong(fmt::format("`expires` must be at most {} (auth.max_token_ttl)",
                           config::print(store.max_lifetime)));
}

Task<std::string> TokenControl::make(TokenRequest wanted, std::string by) {
  const policy::NewToken made = policy::make_token();
  // The hash takes tens of milliseconds, on purpose.
  std::function<Result<policy::TokenHash>()> work = [token = made.token] {
    return policy::TokenHash::of(token);
  };
  auto hashing = shared_.run_job<policy::TokenHash>(std::move(work));
  auto hash = co_await hashing;
  if (!hash) co_return hash.error();
  const std::int64_t now = now_seconds();
  const StoredToken token{
      *std::move(hash), wanted.name, wanted.roles, {}, now, now + wanted.lifetime.count()};
  auto adding = shared_.operations.caller_tokens->add(token);
  auto added = co_await adding;
  if (!added) co_return added.error();
  log::Line(log::Level::info, "token made")
      .add("id", made.id)
      .add("who", wanted.name)
      .add("by", by);
  std::string text;
  json::Object object(text);
  add_members(object, token);
  object.raw("token", json::quote(made.token));
  object.end();
  json::escape_invisible(text);
  co_return text;
}

Task<std::string> TokenControl::create(const net::HttpExchange& exchange) {
  auto looking = shared_.operations.caller_tokens->store();
  auto store = co_await looking;
  if (!store) co_return store.error();
  auto wanted = read_request(exchange, *store);
  if (!wanted) {
    note(exchange, "create", "", wanted.error());
    co_return wanted.error();
  }
  const std::string name = wanted->name;
  auto making = make(*std::move(wanted), exchange.caller->name);
  auto made = co_await making;
  if (made) {
    note(exchange, "create", json::string_member(*made, "id").value_or("") + " " + name, ok());
  } else {
    note(exchange, "create", name, made.error());
  }
  co_return made;
}

Task<std::string> TokenControl::revoke(const net::HttpExchange& exchange) {
  auto id = net::percent_decode(exchange.request.path.substr(kPath.size() + 1));
  if (!id) co_return id.error();
  auto revoking = shared_.operations.caller_tokens->revoke(*id);
  auto revoked = co_await revoking;
  if (!revoked) {
    note(exchange, "revoke", id->substr(0, kMaxTokenName), revoked.error());
    co_return revoked.error();
  }
  note(exchange, "revoke", *id + " " + revoked->name, ok());
  log::Line(log::Level::info, "token revoked")
      .add("id", *id)
      .add("who", revoked->name)
      .add("by", exchange.caller->name);
  co_return fmt::format(R"({{"id":{},"revoked":true}})", json::quote(*id));
}

void TokenControl::note(const net::HttpExchange& exchange, std::string_view method,
                        std::string target, const Result<void>& done) {
  auto record = policy::event_record(policy::kTokenEvent, *exchange.caller);
  record.from = exchange.peer.ip;
  record.method = method;
  record.target = std::move(target);
  if (!done) record.outcome = info(done.error().code).name;
  recorder_.event(std::move(record));
}

Task<void> TokenControl::handle(net::HttpExchange& exchange) {
  if (!is_admin(*exchange.caller, catalog_)) {
    return answer_json(exchange, Result<std::string>(admins_only()));
  }
  if (!shared_.operations.caller_tokens) {
    return answer_json(exchange,
                       Result<std::string>(Error{Code::not_found, "there are no tokens"}));
  }
  const JsonAnswer made{201, "Cache-Control: no-store\r\n"};
  if (exchange.request.method == "POST") return answer_json(exchange, create(exchange), made);
  if (exchange.request.method == "DELETE") return answer_json(exchange, revoke(exchange));
  return answer_json(exchange, list(exchange));
}

}  // namespace patchbay::frontends
