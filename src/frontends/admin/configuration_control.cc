#include "frontends/admin/configuration_control.h"

#include <fmt/format.h>

#include "frontends/admin/admin.h"
#include "frontends/configuration_view.h"
#include "frontends/json_answer.h"
#include "json/invisible.h"
#include "json/write.h"
#include "policy/audit/record.h"

namespace patchbay::frontends {
namespace {

constexpr std::size_t kMaxText = 256 << 10;
constexpr std::size_t kMaxFaults = 200;

std::string list_json(const std::vector<std::string>& texts) {
  std::string list = "[";
  for (const auto& text : texts) list += (list.size() > 1 ? "," : "") + json::quote(text);
  return list + "]";
}

std::string settings_json(const std::vector<SettingLine>& settings) {
  std::string list;
  for (const auto& line : settings) {
    if (!list.empty()) list += ',';
    json::Object object(list);
    object.raw("path", json::quote(line.path));
    if (line.secret) {
      object.raw("secret", "true");
    } else {
      object.raw("value", json::quote(line.value));
    }
    object.raw("source", json::quote(line.source));
    if (line.line > 0) object.raw("line", std::to_string(line.line));
  }
  return "[" + list + "]";
}

std::string reloads_json(const std::vector<ReloadLine>& reloads) {
  std::string list;
  for (const auto& one : reloads) {
    if (!list.empty()) list += ',';
    json::Object object(list);
    object.raw("when", json::quote(policy::time_text(one.when_ms)));
    object.raw("why", json::quote(one.why));
    object.raw("applied", one.applied ? "true" : "false");
    if (!one.digest.empty()) object.raw("digest", json::quote(one.digest));
    object.raw("details", list_json(one.details));
  }
  return "[" + list + "]";
}

std::string page_json(const ConfigurationPage& page) {
  std::string text;
  json::Object object(text);
  object.raw("file", json::quote(page.file));
  object.raw("digest", json::quote(page.digest));
  if (page.text) {
    object.raw("text", json::quote(*page.text));
  } else {
    object.raw("no_text", json::quote(page.no_text));
  }
  object.raw("settings", settings_json(page.settings));
  object.raw("reloads", reloads_json(page.reloads));
  object.end();
  json::escape_invisible(text);
  return text;
}

std::string faults_json(const std::vector<TextFault>& faults) {
  std::string list;
  for (const auto& fault : faults) {
    if (&fault - faults.data() == kMaxFaults) break;
    if (!list.empty()) list += ',';
    json::Object object(list);
    if (fault.line > 0) object.raw("line", std::to_string(fault.line));
    object.raw("path", json::quote(fault.path));
    object.raw("message", json::quote(fault.message));
  }
  json::escape_invisible(list);
  return fmt::format(R"({{"faults":[{}],"count":{}}})", list, faults.size());
}

}  // namespace

Task<std::string> ConfigurationControl::answer(const net::HttpExchange& exchange) {
  if (!is_admin(*exchange.caller, catalog_)) co_return admins_only();
  const ConfigurationView* const view = shared_.operations.configuration;
  if (!view) co_return Error{Code::not_found, "there is no configuration"};
  std::function<Result<std::string>()> work = [view] { return page_json(view->page()); };
  if (exchange.request.method == "POST") {
    if (exchange.body.size() > kMaxText) {
      co_return Error{Code::too_large, fmt::format("a text has at most {} KiB", kMaxText >> 10)};
    }
    work = [view, text = std::string(exchange.body)] { return faults_json(view->check(text)); };
  }
  // Parsing a large file would hold up the calls of this worker.
  auto working = shared_.audit_threads.run<std::string>(std::move(work));
  co_return co_await working;
}

Task<void> ConfigurationControl::handle(net::HttpExchange& exchange) {
  return answer_json(exchange, answer(exchange));
}

}  // namespace patchbay::frontends
