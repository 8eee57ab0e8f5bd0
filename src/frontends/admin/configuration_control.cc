#include "frontends/admin/configuration_control.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "frontends/admin/admin.h"
#include "frontends/admin/call_filter.h"
#include "frontends/configuration_view.h"
#include "frontends/content_types.h"
#include "frontends/error_body.h"
#include "frontends/json_answer.h"
#include "json/invisible.h"
#include "json/write.h"
#include "net/http/syntax/percent.h"
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
  object.raw("edit", page.editable ? "true" : "false");
  object.raw("settings", settings_json(page.settings));
  object.raw("reloads", reloads_json(page.reloads));
  object.end();
  json::escape_invisible(text);
  return text;
}

std::string fault_list(const std::vector<TextFault>& faults) {
  std::string list;
  for (const auto& fault : faults) {
    if (&fault - faults.data() == kMaxFaults) break;
    if (!list.empty()) list += ',';
    json::Object object(list);
    if (fault.line > 0) object.raw("line", std::to_string(fault.line));
    object.raw("path", json::quote(fault.path));
    object.raw("message", json::quote(fault.message));
  }
  return "[" + list + "]";
}

std::string faults_json(const std::vector<TextFault>& faults) {
  std::string list = fault_list(faults);
  json::escape_invisible(list);
  return fmt::format(R"({{"faults":{},"count":{}}})", list, faults.size());
}

// How each outcome of a change is answered and recorded.
struct OutcomeRow {
  EditOutcome outcome;
  std::string_view name;
  int status;
  std::string_view recorded = "ok";
};
constexpr std::array kOutcomes{
    OutcomeRow{EditOutcome::applied, "applied", 200},
    OutcomeRow{EditOutcome::unchanged, "unchanged", 200},
    OutcomeRow{EditOutcome::applying, "applying", 202},
    OutcomeRow{EditOutcome::permitted, "permitted", 200},
    OutcomeRow{EditOutcome::off, "off", 403, info(Code::forbidden).name},
    OutcomeRow{EditOutcome::stale, "stale", 412, info(Code::invalid_request).name},
    OutcomeRow{EditOutcome::not_allowed, "not_allowed", 403, info(Code::forbidden).name},
    OutcomeRow{EditOutcome::faulty, "faulty", 400, info(Code::invalid_params).name},
    OutcomeRow{EditOutcome::refused, "refused", 409, info(Code::invalid_params).name},
    OutcomeRow{EditOutcome::unwritable, "unwritable", 409, info(Code::unavailable).name},
    OutcomeRow{EditOutcome::busy, "busy", 429, info(Code::rate_limited).name},
};

const OutcomeRow& row_of(EditOutcome outcome) {
  return *std::ranges::find(kOutcomes, outcome, &OutcomeRow::outcome);
}

std::string edit_json(const EditAnswer& answer) {
  std::string text;
  json::Object object(text);
  object.raw("outcome", json::quote(row_of(answer.outcome).name));
  if (!answer.message.empty()) object.raw("error", json::quote(answer.message));
  if (!answer.faults.empty()) object.raw("faults", fault_list(answer.faults));
  object.raw("changes", list_json(answer.changes));
  if (!answer.backup.empty()) object.raw("backup", json::quote(answer.backup));
  if (!answer.tag.empty()) object.raw("etag", json::quote(answer.tag));
  object.end();
  json::escape_invisible(text);
  return text;
}

std::string_view unquoted(std::string_view tag) {
  const bool quoted = tag.size() > 2 && tag.front() == '"' && tag.back() == '"';
  return quoted ? tag.substr(1, tag.size() - 2) : std::string_view();
}

}  // namespace

Task<std::string> ConfigurationControl::answer(const net::HttpExchange& exchange) {
  if (!is_admin(*exchange.caller, catalog_)) co_return admins_only();
  const ConfigurationView* const view = shared_.operations.configuration;
  if (!view) co_return Error{Code::not_found, "there is no configuration"};
  const bool wants_schema = exchange.request.path == kSchemaPath;
  std::function<Result<std::string>()> work = [view, wants_schema] {
    return wants_schema ? view->schema() : page_json(view->page());
  };
  if (exchange.request.method == "POST") {
    if (exchange.body.size() > kMaxText) {
      co_return Error{Code::too_large, fmt::format("a text has at most {} KiB", kMaxText >> 10)};
    }
    work = [view, text = std::string(exchange.body)] { return faults_json(view->check(text)); };
  }
  // Parsing a large file would hold up the calls of this worker.
  auto working = shared_.run_job<std::string>(std::move(work));
  co_return co_await working;
}

Task<void> ConfigurationControl::show_file(net::HttpExchange& exchange) {
  auto reading = shared_.operations.editor->text();
  auto read = co_await reading;
  if (!read) {
    auto failed = answer_json(exchange, Result<std::string>(read.error()));
    co_return co_await failed;
  }
  std::string text =
      fmt::format(R"({{"text":{},"etag":{}}})", json::quote(read->text), json::quote(read->tag));
  json::escape_invisible(text);
  const std::string fields = fmt::format("ETag: \"{}\"\r\nCache-Control: no-store\r\n", read->tag);
  co_return co_await exchange.answer(200, kJsonUtf8, {text, "\n"}, fields);
}

Result<ConfigurationEdit> ConfigurationControl::edit_of(const net::HttpExchange& exchange) const {
  auto query = net::parse_query(exchange.request.query);
  if (!query) return query.error();
  const auto checks = query->extract("check");
  auto taken = check_taken(*query, "check");
  if (!taken) return taken.error();
  if (checks && checks.mapped() != "true") {
    return Error{Code::invalid_params, "the only valid value of `check` is true"};
  }
  if (exchange.body.size() > kMaxText) {
    return Error{Code::too_large, fmt::format("a text has at most {} KiB", kMaxText >> 10)};
  }
  const auto tag = unquoted(exchange.request.fields.find("If-Match").value_or(""));
  return ConfigurationEdit{std::string(exchange.body), std::string(tag), !checks.empty(),
                           exchange.caller->name};
}

void ConfigurationControl::note(const net::HttpExchange& exchange, const EditAnswer& answer) {
  auto record = policy::event_record(policy::kConfigurationEvent, *exchange.caller);
  record.from = exchange.peer.ip;
  record.method = "apply";
  record.outcome = row_of(answer.outcome).recorded;
  recorder_.event(std::move(record));
}

Task<void> ConfigurationControl::edit_file(net::HttpExchange& exchange) {
  auto edit = edit_of(exchange);
  if (!edit) {
    auto failed = answer_json(exchange, Result<std::string>(edit.error()));
    co_return co_await failed;
  }
  if (edit->tag.empty()) {
    const std::string error = error_json(
        "If-Match must have the ETag of the version that was edited: GET the file first");
    co_return co_await exchange.answer(428, kJsonUtf8, {error});
  }
  const bool only_checks = edit->only_checks;
  auto editing = shared_.operations.editor->edit(*std::move(edit));
  auto edited = co_await editing;
  if (!edited) {
    auto failed = answer_json(exchange, Result<std::string>(edited.error()));
    co_return co_await failed;
  }
  if (!only_checks) note(exchange, *edited);
  const std::string text = edit_json(*edited);
  co_return co_await exchange.answer(row_of(edited->outcome).status, kJsonUtf8, {text, "\n"});
}

Task<void> ConfigurationControl::handle(net::HttpExchange& exchange) {
  if (exchange.request.path != kFilePath) return answer_json(exchange, answer(exchange));
  if (!is_admin(*exchange.caller, catalog_))
    return answer_json(exchange, Result<std::string>(admins_only()));
  if (!shared_.operations.editor) {
    return answer_json(exchange,
                       Result<std::string>(Error{Code::not_found, "there is no configuration"}));
  }
  return exchange.request.method == "PUT" ? edit_file(exchange) : show_file(exchange);
}

}  // namespace patchbay::frontends
