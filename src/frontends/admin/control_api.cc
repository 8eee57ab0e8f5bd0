// How requests of the control API reach its pages, and how they are answered.
#include "frontends/admin/control_api.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "crypto/sha256.h"
#include "frontends/admin/admin.h"
#include "frontends/content_types.h"
#include "frontends/json_answer.h"
#include "net/http/syntax/conditions.h"
#include "net/http/syntax/percent.h"

namespace patchbay::frontends {
namespace {

constexpr std::string_view kApprovalsPath = "/control/v1/approvals";
constexpr std::string_view kAuditPath = "/control/v1/audit";
// The client may store the answer, but asks each time whether it has changed.
constexpr std::string_view kRevalidated = "Cache-Control: private, no-cache\r\n";

}  // namespace

bool ControlApi::Asked::sees(std::string_view upstream) const {
  return sees_all || !catalog->access() || catalog->access()->reaches(upstream);
}

const ControlApi::Row* ControlApi::find_row(std::string_view path) {
  static constexpr std::array kRows{
      Row{"/control/v1/status", &ControlApi::status, false, false},
      Row{"/control/v1/cluster", &ControlApi::cluster, false, true},
      Row{"/control/v1/upstreams", &ControlApi::upstreams, false, true},
      Row{"/control/v1/clients", &ControlApi::clients, false, true},
      Row{"/control/v1/calls", &ControlApi::calls, false, true},
      Row{"/control/recent", &ControlApi::calls, false, true},
      Row{"/control/v1/traces/", &ControlApi::traces, true, true},
      Row{"/control/v1/metrics", &ControlApi::load, false, false},
      Row{"/control/v1/history", &ControlApi::history, false, true},
      Row{kApprovalsPath, nullptr, false, true},
      Row{"/control/v1/catalog", &ControlApi::catalog, false, true},
      Row{kAuditPath, nullptr, false, true},
      Row{"/control/v1/openapi.json", &ControlApi::openapi, false, true},
  };
  const auto* const found = std::ranges::find_if(kRows, [&](const Row& row) {
    return row.below ? path.starts_with(row.path) && path.size() > row.path.size()
                     : path == row.path;
  });
  return found == kRows.end() ? nullptr : found;
}

Task<std::string> ControlApi::answer(const net::HttpExchange& exchange, const Row& row) {
  const std::string_view path = exchange.request.path;
  auto rest = net::percent_decode(row.below ? path.substr(row.path.size()) : "");
  if (!rest) co_return rest.error();
  auto query = net::parse_query(exchange.request.query);
  if (!query) co_return query.error();
  Asked asked{*std::move(rest), *std::move(query), exchange.caller,
              is_admin(*exchange.caller, catalog_), catalog_.current(*exchange.caller)};
  if (row.path == kApprovalsPath) {
    auto list = approvals(std::move(asked));
    co_return co_await list;
  }
  if (row.path == kAuditPath) {
    auto records = audit(std::move(asked));
    co_return co_await records;
  }
  co_return (this->*row.page)(asked);
}

Task<void> ControlApi::handle(net::HttpExchange& exchange) {
  const Row* const row = find_row(exchange.request.path);
  Result<std::string> text =
      Error{Code::not_found, "there is no such page; /control/v1/openapi.json lists them"};
  if (row) {
    auto answered = answer(exchange, *row);
    text = co_await answered;
  }
  if (!text || !row->cacheable) {
    auto answered = answer_json(exchange, std::move(text));
    co_return co_await answered;
  }
  const std::string etag = fmt::format("\"{}\"", policy::sha256(*text).substr(0, 32));
  const std::string fields = fmt::format("ETag: {}\r\n{}", etag, kRevalidated);
  if (net::has_already(exchange.request.fields, etag)) {
    co_return co_await exchange.answer(304, "", {}, fields);
  }
  co_return co_await exchange.answer(200, kJsonUtf8, {*text, "\n"}, fields);
}

}  // namespace patchbay::frontends
