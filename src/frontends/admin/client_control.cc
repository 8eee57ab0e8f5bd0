#include "frontends/admin/client_control.h"

#include <fmt/format.h>

#include <charconv>

#include "frontends/admin/admin.h"
#include "frontends/json_answer.h"
#include "gateway/open_clients.h"
#include "json/text.h"
#include "observe/log.h"
#include "policy/audit/record.h"

namespace patchbay::frontends {

Result<std::string> ClientControl::end(const net::HttpExchange& exchange) {
  const Principal& admin = *exchange.caller;
  if (!is_admin(admin, catalog_)) return admins_only();
  const std::string_view id = exchange.request.path.substr(kPath.size());
  std::uint64_t number = 0;
  const auto [at, fault] = std::from_chars(id.data(), id.data() + id.size(), number);
  if (fault != std::errc() || at != id.data() + id.size()) {
    return Error{Code::not_found, "no such client is open"};
  }
  auto ended = gateway::open_clients().end(number);
  if (!ended) return ended.error();
  auto record = policy::event_record(policy::kClientEvent, *ended->caller);
  record.from = exchange.peer.ip;
  record.frontend = ended->frontend;
  record.client = ended->client;
  record.method = "end";
  record.target = ended->kind;
  record.by = admin.name;
  recorder_.event(std::move(record));
  log::Line(log::Level::info, "client ended")
      .add("kind", ended->kind)
      .add("frontend", ended->frontend)
      .add("who", ended->caller->name)
      .add("by", admin.name);
  return fmt::format("{{\"id\":\"{}\",\"ended\":true}}", number);
}

Task<void> ClientControl::handle(net::HttpExchange& exchange) {
  return answer_json(exchange, end(exchange));
}

}  // namespace patchbay::frontends
