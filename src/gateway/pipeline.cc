#include "gateway/pipeline.h"

#include <fmt/format.h>

#include "core/discard.h"
#include "gateway/call/clock.h"
#include "gateway/finalize.h"
#include "gateway/target.h"
#include "json/read.h"
#include "mcp/capabilities.h"
#include "mcp/tasks.h"
#include "mcp/tool_result.h"
#include "observe/log.h"
#include "observe/memory.h"

namespace patchbay::gateway {
namespace {

using mcp::ItemKind;
using trace::Stage;

constexpr std::size_t kLargeAnswer = 64 * 1024;  // Refused when memory is short.

// Clients with a session do not declare tasks: a client that uses the methods supports them.
bool may_have_tasks(const Call& call) {
  return !mcp::info(call.revision).stateless ||
         mcp::abilities_of(call.revision, call.capabilities).tasks;
}

// Clients request tasks in only one revision.
const mcp::Member* requested_task(const Call& call) {
  return call.revision == mcp::Revision::v2025_11_25 ? call.request.param("task") : nullptr;
}

// They may request one if the tool allows it.
Result<void> check_task(const Call& call) {
  const auto* const task = requested_task(call);
  if (!task) return ok();
  if (!task->raw.starts_with('{')) return Error{Code::invalid_params, "'task' must be an object"};
  if (call.task_support != mcp::TaskSupport::none) return ok();
  return Error{Code::method_not_found, fmt::format("{} does not run as a task", call.target)};
}

// A tool, or else its upstream, may have its own time limit.
void set_own_limit(Call& call, const CatalogEntry& entry) {
  constexpr std::chrono::milliseconds kNone{0};
  if (entry.timeout > kNone) return set_limit(call, entry.timeout, "tools.timeout");
  const UpstreamTimeout timeout = entry.upstream->call_timeout();
  if (timeout.time > kNone) set_limit(call, timeout.time, timeout.setting);
}

// Names a stored result of an earlier call.
bool is_stored(const Call& call) {
  return call.method.action == mcp::Action::read_resource && call.target.starts_with(kStoredPrefix);
}

// Turns an error about the arguments of a tool into a result that a model reads, so that it can
// correct them. Programs behind other frontends get the error. So do requests for a task and those
// that continue a call, because their errors may have another cause.
void explain_wrong_arguments(const Call& call, Result<mcp::Reply>& reply) {
  const bool is_plain = call.method.action == mcp::Action::call_tool && !requested_task(call) &&
                        !call.request.param("requestState");
  const bool reads_results = call.has_user && mcp::wrong_arguments_are_results(call.revision);
  if (!is_plain || !reads_results || reply.error().code != Code::invalid_params) return;
  const std::string why =
      fmt::format("Invalid arguments for {}: {}", call.target, reply.error().message);
  auto result = mcp::tool_result({why}, true);
  result.why = Code::invalid_params;
  reply = std::move(result);
}

void log_violation(std::string_view event, const CatalogEntry& entry, const Error& why) {
  log::Line(log::Level::warn, event).add("tool", entry.dotted).add("why", why.message);
}

}  // namespace

Task<mcp::Reply> Pipeline::handle(Call& call) {
  const Deadline began = here().now();
  recorder_.begin(call);
  Permits permits;
  auto ready = admit(call, permits);
  if (ready) ready = resolve(call);
  if (ready && waits_for_catalog(call)) ready = co_await resolve_when_synced(call);
  if (ready) ready = authorize(call, permits.rate);
  if (ready) ready = check(call);
  const bool well_formed{ready};
  if (ready && call.entry) ready = check_arguments(call, *call.entry);
  auto reply = ready ? co_await answer(call) : ready.error();
  if (well_formed && !reply) explain_wrong_arguments(call, reply);
  finish(call, reply);
  const CallEnd end = recorder_.end_of(call, *reply, began);
  recorder_.record(call, *reply, end);
  if (recorder_.must_keep()) {
    call.trace.enter(Stage::record);
    auto stored = co_await recorder_.keep(call, *reply, end);
    if (!stored) reply = mcp::error_reply(stored.error());
  }
  recorder_.end(call, *reply, end);
  finalize(call, *reply);
  // The Call may exist until its answer is written; an upstream that has been replaced need not.
  call.param_headers = nullptr;
  call.entry = nullptr;
  call.tool = {};
  call.upstream_kind = {};
  call.catalog.reset();
  co_return reply;
}

Error unknown_method(std::string_view method) {
  return {Code::method_not_found, fmt::format("Method not found: {}", method)};
}

bool Pipeline::may_use(const mcp::Method& method, const Principal& caller) const {
  if (!catalog_.rules()) return true;
  return method.has(mcp::kAlwaysAllowed) ||
         catalog_.current(caller)->access()->has_method(method.name);
}

bool Pipeline::is_current(const Catalog& catalog) const {
  return catalog_.rules() && catalog_.rules()->version() == catalog.access()->version();
}

bool Pipeline::can_ask(Call& call) const {
  if (!resolve(call) || !call.entry) return true;
  return call.entry->upstream->can_ask() || consent_.may_ask(call, *call.entry);
}

Result<void> Pipeline::admit(Call& call, Permits& permits) {
  call.trace.enter(Stage::limit);
  if (!call.caller) return Error{Code::unauthenticated, "authentication required"};
  if (memory::is_short()) return memory::shortage();
  auto recordable = recorder_.check();
  if (!recordable) return recordable;
  auto permit = limiter_.admit();
  if (!permit) return std::move(permit).error();
  permits.running.emplace(*std::move(permit));
  if (rates_) {
    auto within =
        rates_->admit({.caller = *call.caller, .address = call.from, .rules = catalog_.rules()},
                      here().now(), permits.rate, call.quota);
    if (!within) return within;
  }
  call.is_admin = catalog_.is_admin(*call.caller);
  if (!may_use(call.method, *call.caller)) return unknown_method(call.request.method);
  return ok();
}

Result<void> Pipeline::count_initialize(const Principal& caller, std::string_view from) const {
  if (!rates_) return ok();
  policy::Rates::Permit permit;
  std::optional<policy::Quota> quota;
  return rates_->admit({.caller = caller, .address = from, .rules = catalog_.rules()}, here().now(),
                       permit, quota);
}

// Finds the item that the call names. It may be missing; authorize() decides what that means.
Result<void> Pipeline::resolve(Call& call) const {
  if (!names_item(call.method) || call.catalog) return ok();
  call.trace.enter(Stage::route);
  if (auto read = read_target(call); !read) return read;
  const auto* const arguments = call.request.param("arguments");
  if (arguments && !arguments->raw.starts_with('{')) {
    return Error{Code::invalid_params, "'arguments' must be an object"};
  }
  if (is_stored(call)) return ok();
  call.catalog = catalog_.current(*call.caller);
  call.entry = find_item(*call.catalog, call);
  return ok();
}

// A missing item may belong to an upstream that is still starting.
bool Pipeline::waits_for_catalog(const Call& call) const {
  return call.catalog && !call.entry && !catalog_.synced();
}

Task<void> Pipeline::resolve_when_synced(Call& call) {
  auto synced = co_await catalog_.wait_synced(*call.caller, call.deadline);
  if (!synced) co_return synced.error();
  call.catalog = *std::move(synced);
  call.entry = find_item(*call.catalog, call);
  co_return ok();
}

// The catalog holds only items that the caller has access to, so every item in it is allowed.
Result<void> Pipeline::authorize(Call& call, policy::Rates::Permit& permit) {
  call.tasks = &tasks_;
  if (!call.catalog) return ok();
  call.trace.enter(Stage::authorize);
  // A caller that has lost access to a resource can still unsubscribe from it.
  if (!call.entry && call.method.action == mcp::Action::unsubscribe) {
    call.catalog = catalog_.whole();
    call.entry = find_item(*call.catalog, call);
  }
  if (!call.entry) {
    // Only the record states that others have access to it.
    if (call.catalog->access() && find_item(*catalog_.whole(), call)) call.rule = kHidden;
    return unknown_item(call);
  }
  const CatalogEntry& entry = *call.entry;
  call.rule = entry.rule;
  call.upstream = entry.upstream->name();
  call.upstream_kind = entry.upstream->kind();
  call.param_headers = &entry.headers;
  call.task_support = entry.tasks;
  if (call.item == ItemKind::tool) call.tool = entry.dotted;
  set_own_limit(call, entry);
  if (!rates_) return ok();
  return rates_->admit_to({*call.caller, call.from, call.upstream, entry.dotted, catalog_.rules()},
                          here().now(), permit);
}

// Whether the request is valid for the item that it names.
Result<void> Pipeline::check(const Call& call) const {
  if (!call.entry) return ok();
  call.trace.enter(Stage::validate);
  if (auto fits = check_task(call); !fits) return fits;
  if (call.headers && !call.entry->headers.empty()) {
    const auto* const arguments = call.request.param("arguments");
    auto same = mcp::check_param_headers(call.entry->headers, arguments ? arguments->raw : "",
                                         *call.headers);
    if (!same) return same;
  }
  return ok();
}

Task<mcp::Reply> Pipeline::answer(Call& call) {
  if (call.method.reach == mcp::Reach::catalog) return list(call);
  if (call.method.reach == mcp::Reach::by_task) return answer_about_task(call);
  if (!call.entry) return read_stored(call);
  return call.entry->conditions ? send_with_consent(call) : send(call);
}

Task<mcp::Reply> Pipeline::list(const Call& call) {
  const trace::StageGuard stage(call.trace, Stage::route);
  const auto* const given = call.request.param("cursor");
  const auto cursor = given ? json::as_string(given->raw) : std::string();
  if (!cursor) co_return Error{Code::invalid_params, "'cursor' must be a string"};
  auto catalog = co_await catalog_.wait_synced(*call.caller, call.deadline);
  if (!catalog) co_return catalog.error();
  auto page = (*catalog)->list(call.method.item, call.revision, *cursor, page_);
  if (!page) co_return page.error();
  co_return mcp::result_reply(*std::move(page));
}

// The id of a task contains its owner and its upstream.
Task<mcp::Reply> Pipeline::answer_about_task(Call& call) {
  if (!may_have_tasks(call)) {
    co_return Error{Code::missing_capability,
                    fmt::format("'{}' is for clients that declare the extension {}",
                                call.request.method, mcp::kTasksExtension),
                    std::string(mcp::kTasksRequired)};
  }
  call.trace.enter(Stage::route);
  if (auto read = read_target(call); !read) co_return read.error();
  const auto location = tasks_.find(*call.caller, call.target);
  const auto catalog = catalog_.current(*call.caller);
  const auto upstream = location ? catalog->find_upstream(location->upstream) : nullptr;
  if (!upstream) co_return Error{Code::not_found, "there is no such task"};
  call.upstream = location->upstream;
  call.upstream_kind = upstream->kind();
  if (const auto made = task_tools_.find(location->upstream, location->id)) {
    call.trace.link_to(made->call);
  }
  auto reply = co_await upstream->answer(call, location->id);
  if (reply) check_task_result(call, *catalog, *location, *reply);
  co_return reply;
}

// A page of a result that was too large to be returned at once.
Task<mcp::Reply> Pipeline::read_stored(const Call& call) {
  auto page = stored_.read(*call.caller, call.target, here().now());
  if (!page) co_return unknown_item(call);
  co_return mcp::result_reply(*std::move(page));
}

Task<mcp::Reply> Pipeline::send_with_consent(Call& call) {
  call.trace.enter(Stage::approve);
  auto refused = co_await consent_.evaluate(call, *call.entry, *call.catalog);
  if (!refused) co_return refused.error();
  if (*refused) co_return **std::move(refused);
  // The person may have taken a long time.
  if (!is_current(*call.catalog) || !find_item(*catalog_.current(*call.caller), call)) {
    co_return Error{Code::forbidden, "the rules have changed meanwhile; make the call again"};
  }
  co_return co_await send(call);
}

Task<mcp::Reply> Pipeline::send(const Call& call) {
  if (call.method.action == mcp::Action::subscribe) return subscribe(call);
  if (call.method.action == mcp::Action::unsubscribe) return unsubscribe(call);
  return call.entry->upstream->answer(call, own_name(*call.entry, call));
}

// Turns an answer or an error into a reply that may be sent.
void Pipeline::finish(Call& call, Result<mcp::Reply>& reply) const {
  // A refusal of the gateway itself is not a result of the tool.
  if (reply && call.entry && !reply->why) {
    if (checks_result(*call.entry)) call.trace.enter(Stage::validate);
    const bool renamed = call.item == ItemKind::resource && call.entry->listed != call.entry->key;
    if (renamed && !reply->is_error) rename_contents(*reply, *call.catalog, call.upstream);
    check_result(call, *call.entry, *reply);
    fit_budget(call, *call.entry, *reply);
  }
  call.trace.leave();
  if (reply && reply->body.size() > kLargeAnswer && memory::is_short()) reply = memory::shortage();
  if (reply) return;
  // The record names the target even if the call was refused before it was resolved.
  if (call.target.empty()) discard(read_target(call), "a request without a target is recorded so");
  Error error = std::move(reply).error();
  name_limit(call, error);
  reply = mcp::error_reply(error);
}

void Pipeline::fit_budget(const Call& call, const CatalogEntry& entry, mcp::Reply& reply) const {
  if (budgets_.empty() || reply.is_error || call.method.action != mcp::Action::call_tool) return;
  const auto most = budget_of(budgets_, entry.dotted);
  const bool whole = reply.type == mcp::ResultType::none || reply.type == mcp::ResultType::complete;
  if (!most || reply.body.size() <= *most || !whole) return;
  const bool promised = entry.schemas && entry.schemas->promises_result();
  reply = stored_instead(call, reply, *most, promised, stored_);
}

Result<void> Pipeline::check_arguments(const Call& call, const CatalogEntry& entry) const {
  if (!entry.schemas || validation_.arguments == Validation::off) return ok();
  const auto* const arguments = call.request.param("arguments");
  auto fit = entry.schemas->check_arguments(arguments ? arguments->raw : "{}",
                                            validation_.refuses_unusable(validation_.arguments));
  if (fit) return fit;
  recorder_.metrics().count_violation(SchemaDirection::arguments, entry.upstream->name());
  if (validation_.arguments == Validation::enforce) return fit;
  log_violation("arguments do not fit", entry, fit.error());
  return ok();
}

bool Pipeline::checks_result(const CatalogEntry& entry) const {
  return entry.schemas && entry.schemas->promises_result() &&
         validation_.results != Validation::off;
}

void Pipeline::check_result(const Call& call, const CatalogEntry& entry, mcp::Reply& reply) const {
  if (call.method.action != mcp::Action::call_tool || reply.is_error) return;
  if (reply.task) {
    task_tools_.add(call.upstream, *reply.task, {entry.listed, call.trace.context()},
                    static_cast<std::size_t>(validation_.tasks));
    return;
  }
  if (!checks_result(entry)) return;
  const bool complete =
      reply.type == mcp::ResultType::none || reply.type == mcp::ResultType::complete;
  if (complete) refuse_violation(entry, reply.body, reply);
}

// The result of a task is sent alone, or inside the state of the task.
void Pipeline::check_task_result(const Call& call, const Catalog& catalog,
                                 const TaskIds::Location& location, mcp::Reply& reply) const {
  if (reply.is_error || validation_.results == Validation::off) return;
  const auto made = task_tools_.find(location.upstream, location.id);
  const auto* const entry = made ? catalog.find(ItemKind::tool, made->tool) : nullptr;
  if (!entry || !checks_result(*entry)) return;
  if (call.method.action == mcp::Action::task_result) {
    refuse_violation(*entry, reply.body, reply);
  } else if (const auto outcome = mcp::outcome_of(reply.body); outcome && !outcome->is_error) {
    refuse_violation(*entry, outcome->body, reply);
  }
}

void Pipeline::refuse_violation(const CatalogEntry& entry, std::string_view result,
                                mcp::Reply& reply) const {
  auto fit = entry.schemas->check_result(result, validation_.refuses_unusable(validation_.results));
  if (fit) return;
  recorder_.metrics().count_violation(SchemaDirection::result, entry.upstream->name());
  if (validation_.results == Validation::enforce) {
    reply = mcp::error_reply(fit.error());
  } else {
    log_violation("result does not fit", entry, fit.error());
  }
}

// Subscriptions of many clients to one resource are a single one at its upstream.
Task<mcp::Reply> Pipeline::subscribe(const Call& call) {
  const auto own = own_name(*call.entry, call);
  auto reply = co_await call.entry->upstream->answer(call, own);
  if (reply && !reply->is_error) subscriptions_.add(call.upstream, own);
  co_return reply;
}

Task<mcp::Reply> Pipeline::unsubscribe(const Call& call) {
  const auto own = own_name(*call.entry, call);
  if (!subscriptions_.remove(call.upstream, own)) co_return mcp::result_reply("{}");
  co_return co_await call.entry->upstream->answer(call, own);
}

}  // namespace patchbay::gateway
