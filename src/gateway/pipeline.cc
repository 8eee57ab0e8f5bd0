#include "gateway/pipeline.h"

#include <fmt/format.h>

#include "json/read.h"
#include "mcp/capabilities.h"
#include "mcp/tasks.h"
#include "observe/log.h"
#include "observe/memory.h"

namespace patchbay::gateway {
namespace {

using mcp::ItemKind;

constexpr std::size_t kLargeAnswer = 64 * 1024;  // Worth dropping when memory is short.

// The item that a request is about; its name is call.target.
struct Target {
  ItemKind kind;
  std::string_view name;
};

// Reads the name into `name`, which the target then refers to.
Result<Target> read_target(const Call& call, std::string& name) {
  const auto* const given = call.request.param(call.method.target);
  if (given && call.method.reach == mcp::Reach::by_reference) {
    const auto type = json::string_member(given->raw, "type");
    const bool prompt = type == "ref/prompt";
    auto read = json::string_member(given->raw, prompt ? "name" : "uri");
    if (!read || (!prompt && type != "ref/resource")) {
      return Error{Code::invalid_params,
                   "'ref' must be a ref/prompt with name or a ref/resource with uri"};
    }
    name = *std::move(read);
    return Target{prompt ? ItemKind::prompt : ItemKind::resource_template, name};
  }
  const bool text = given && given->raw.starts_with('"');
  name.clear();
  if (!text || !json::append_unquoted(name, given->raw)) {
    name.clear();
    return Error{Code::invalid_params,
                 fmt::format("'{}' must be given as a string", call.method.target)};
  }
  return Target{call.method.item, name};
}

const CatalogEntry* find(const Catalog& catalog, const Target& asked) {
  if (asked.kind == ItemKind::resource) return catalog.find_resource(asked.name);
  if (const auto* const entry = catalog.find(asked.kind, asked.name)) return entry;
  // A reference may also name a resource itself.
  if (asked.kind == ItemKind::resource_template) return catalog.find_resource(asked.name);
  return nullptr;
}

// How the upstream calls what was asked for. A URI made from a template is its own name, but for
// what the catalog put in front to tell upstreams apart.
std::string_view own_words(const CatalogEntry& entry, const Target& asked) {
  const bool made = entry.key.find('{') != std::string::npos && asked.name != entry.listed;
  if (!made) return entry.key;
  return asked.name.substr(entry.listed.size() - entry.key.size());
}

// With a session there is nothing to declare: whoever knows the methods has tasks.
bool may_have_tasks(const Call& call) {
  return !mcp::info(call.revision).stateless ||
         mcp::abilities_of(call.revision, call.capabilities).tasks;
}

// A client of the one revision that lets clients ask for a task may do so where the tool allows it.
Result<void> check_task(const Call& call) {
  if (call.revision != mcp::Revision::v2025_11_25) return ok();
  const auto* const task = call.request.param("task");
  if (!task) return ok();
  if (!task->raw.starts_with('{')) return Error{Code::invalid_params, "'task' must be an object"};
  if (call.task_support != mcp::TaskSupport::none) return ok();
  return Error{Code::method_not_found, fmt::format("{} does not run as a task", call.target)};
}

Error unknown(const Call& call, const Target& asked) {
  std::string message = fmt::format("unknown {}: {}", mcp::info(asked.kind).noun, asked.name);
  if (asked.kind != ItemKind::resource) return {Code::not_found, std::move(message)};
  // The stateless revision has no code of its own for this.
  const bool stateless = mcp::info(call.revision).stateless;
  return {stateless ? Code::not_found : Code::resource_not_found, std::move(message),
          fmt::format("{{\"uri\":{}}}", json::quote(asked.name))};
}

// Puts the URIs of what was read into the words of the catalog: an upstream's own would lead to
// another upstream.
void tell_apart(mcp::Reply& reply, const Catalog& catalog, std::string_view upstream) {
  const auto given = json::member(reply.body, "contents");
  if (!given) return;
  std::string contents = "[";
  const auto add = [&](std::string_view content) {
    if (contents.size() > 1) contents += ',';
    const auto uri = json::string_member(content, "uri");
    if (!uri) {
      contents += content;
      return;
    }
    const std::string listed = json::quote(catalog.listed_uri(upstream, *uri));
    contents += json::with_member(content, "uri", listed);
  };
  json::each_element(*given, add);
  reply.body = json::with_member(reply.body, "contents", contents + "]");
  if (const auto meta = json::member(reply.body, "_meta")) {
    reply.meta_at = static_cast<std::size_t>(meta->data() - reply.body.data());
  }
}

void log_violation(std::string_view event, const CatalogEntry& entry, const Error& why) {
  log::Line(log::Level::warn, event).add("tool", entry.dotted).add("why", why.message);
}

}  // namespace

Task<mcp::Reply> Pipeline::handle(Call& call, const ReplyShape& shape) {
  const Deadline began = here().now();
  Permits permits;
  auto admitted = admit(call, permits);
  auto reply = admitted ? co_await route(call, permits.rate) : admitted.error();
  if (reply && reply->body.size() > kLargeAnswer && memory::is_short()) reply = memory::shortage();
  if (!reply) {
    // What was refused before anyone looked is written down with its name all the same.
    if (call.target.empty() && !read_target(call, call.target)) call.target.clear();
    reply = mcp::error_reply(reply.error());
  }
  recorder_.record(call, *reply, began);
  if (recorder_.must_keep()) {
    auto stored = co_await recorder_.keep(call, *reply, began);
    if (!stored) reply = mcp::error_reply(stored.error());
  }
  shape.give(call, *reply);
  co_return reply;
}

Error unknown_method(std::string_view method) {
  return {Code::method_not_found, fmt::format("Method not found: {}", method)};
}

bool Pipeline::may_use(const mcp::Method& method, const Principal& who) const {
  if (!catalog_.rules()) return true;
  const bool always = method.local == mcp::Local::initialize ||
                      method.local == mcp::Local::discover || method.local == mcp::Local::ping ||
                      method.name == "resources/unsubscribe";
  return always || catalog_.current(who)->access()->has_method(method.name);
}

bool Pipeline::is_current(const Catalog& catalog) const {
  return catalog_.rules() && catalog_.rules()->version() == catalog.access()->version();
}

bool Pipeline::can_ask(const Call& call) const {
  std::string name;
  auto asked = read_target(call, name);
  const auto catalog = catalog_.current(*call.who);
  const CatalogEntry* const entry = asked ? find(*catalog, *asked) : nullptr;
  return !entry || entry->upstream->can_ask() || consent_.may_ask(call, *entry);
}

Result<void> Pipeline::admit(Call& call, Permits& permits) {
  if (!call.who) return Error{Code::unauthenticated, "nobody knows who makes this call"};
  if (memory::is_short()) return memory::shortage();
  auto recordable = recorder_.check();
  if (!recordable) return recordable;
  auto permit = limiter_.admit();
  if (!permit) return std::move(permit).error();
  permits.running.emplace(*std::move(permit));
  if (rates_) {
    auto within =
        rates_->admit({.caller = *call.who, .address = call.from, .rules = catalog_.rules()},
                      here().now(), permits.rate, call.quota);
    if (!within) return within;
  }
  call.is_admin = catalog_.is_admin(*call.who);
  if (!may_use(call.method, *call.who)) return unknown_method(call.request.method);
  return ok();
}

Result<void> Pipeline::count_initialize(const Principal& who, std::string_view from) const {
  if (!rates_) return ok();
  policy::Rates::Permit permit;
  std::optional<policy::Quota> quota;
  return rates_->admit({.caller = who, .address = from, .rules = catalog_.rules()}, here().now(),
                       permit, quota);
}

Task<mcp::Reply> Pipeline::route(Call& call, policy::Rates::Permit& rate) {
  call.tasks = &tasks_;
  if (call.method.reach == mcp::Reach::catalog) return list(call);
  if (call.method.reach == mcp::Reach::by_task) return send_about_task(call);
  return send(call, rate);
}

Task<mcp::Reply> Pipeline::list(const Call& call) {
  const auto* const given = call.request.param("cursor");
  const auto cursor = given ? json::as_string(given->raw) : std::string();
  if (!cursor) co_return Error{Code::invalid_params, "'cursor' must be a string"};
  auto catalog = co_await catalog_.wait_synced(*call.who, call.deadline);
  if (!catalog) co_return catalog.error();
  auto page = (*catalog)->list(call.method.item, call.revision, *cursor, page_);
  if (!page) co_return page.error();
  co_return mcp::result_reply(*std::move(page));
}

// The id of a task says whose it is, and which upstream has it.
Task<mcp::Reply> Pipeline::send_about_task(Call& call) {
  if (!may_have_tasks(call)) {
    co_return Error{Code::missing_capability,
                    fmt::format("'{}' is for clients that declare the extension {}",
                                call.request.method, mcp::kTasksExtension),
                    std::string(mcp::kTasksRequired)};
  }
  auto asked = read_target(call, call.target);
  if (!asked) co_return asked.error();
  const auto place = tasks_.find(*call.who, call.target);
  const auto catalog = catalog_.current(*call.who);
  const auto upstream = place ? catalog->find_upstream(place->upstream) : nullptr;
  if (!upstream) co_return Error{Code::not_found, "there is no such task"};
  call.upstream = place->upstream;
  auto reply = co_await upstream->answer(call, place->id);
  if (reply) check_task_result(call, *catalog, *place, *reply);
  co_return reply;
}

Task<mcp::Reply> Pipeline::send(Call& call, policy::Rates::Permit& permit) {
  auto asked = read_target(call, call.target);
  if (!asked) co_return asked.error();
  const auto* const arguments = call.request.param("arguments");
  if (arguments && !arguments->raw.starts_with('{')) {
    co_return Error{Code::invalid_params, "'arguments' must be an object"};
  }

  if (call.request.method == "resources/read" && asked->name.starts_with(kStoredPrefix)) {
    auto page = stored_.read(*call.who, asked->name, here().now());
    if (!page) co_return unknown(call, *asked);
    co_return mcp::result_reply(*std::move(page));
  }
  auto catalog = catalog_.current(*call.who);
  const CatalogEntry* entry = find(*catalog, *asked);
  if (!entry && !catalog_.synced()) {
    auto synced = co_await catalog_.wait_synced(*call.who, call.deadline);
    if (!synced) co_return synced.error();
    catalog = *std::move(synced);
    entry = find(*catalog, *asked);
  }
  // Whoever has lost the right to a resource can still let go of it.
  if (!entry && call.request.method == "resources/unsubscribe") {
    catalog = catalog_.whole();
    entry = find(*catalog, *asked);
  }
  if (!entry) {
    // Only the record says that it is there for others.
    if (catalog->access() && find(*catalog_.whole(), *asked)) call.rule = kHidden;
    co_return unknown(call, *asked);
  }
  call.rule = entry->rule;
  call.upstream = entry->upstream->name();
  call.param_headers = &entry->headers;
  call.task_support = entry->tasks;
  if (rates_) {
    auto within =
        rates_->admit_to({*call.who, call.from, call.upstream, entry->dotted, catalog_.rules()},
                         here().now(), permit);
    if (!within) co_return within.error();
  }
  auto fits = check_task(call);
  if (!fits) co_return fits.error();
  if (call.headers && !entry->headers.empty()) {
    auto same =
        mcp::check_param_headers(entry->headers, arguments ? arguments->raw : "", *call.headers);
    if (!same) co_return same.error();
  }
  auto fit = check_arguments(call, *entry);
  if (!fit) co_return fit.error();
  if (entry->conditions) {
    auto refused = co_await consent_.evaluate(call, *entry, *catalog);
    if (!refused) co_return refused.error();
    if (*refused) co_return **std::move(refused);
    // A person may have taken their time.
    if (!is_current(*catalog) || !find(*catalog_.current(*call.who), *asked)) {
      co_return Error{Code::forbidden, "the rules have changed meanwhile; make the call again"};
    }
  }
  auto reply = co_await answer(call, *entry, own_words(*entry, *asked));
  const bool told_apart = asked->kind == ItemKind::resource && entry->listed != entry->key;
  if (told_apart && reply && !reply->is_error) tell_apart(*reply, *catalog, call.upstream);
  if (reply) check_result(call, *entry, *reply);
  if (reply) fit_budget(call, *entry, *reply);
  co_return reply;
}

void Pipeline::fit_budget(const Call& call, const CatalogEntry& entry, mcp::Reply& reply) const {
  if (budgets_.empty() || reply.is_error || call.request.method != "tools/call") return;
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
  if (fit || validation_.arguments == Validation::enforce) return fit;
  log_violation("arguments do not fit", entry, fit.error());
  return ok();
}

bool Pipeline::checks_result(const CatalogEntry& entry) const {
  return entry.schemas && entry.schemas->promises_result() &&
         validation_.results != Validation::off;
}

void Pipeline::check_result(const Call& call, const CatalogEntry& entry, mcp::Reply& reply) const {
  if (call.request.method != "tools/call" || reply.is_error || !checks_result(entry)) return;
  if (reply.task) {
    task_tools_.add(call.upstream, *reply.task, entry.listed,
                    static_cast<std::size_t>(validation_.tasks));
    return;
  }
  const bool complete =
      reply.type == mcp::ResultType::none || reply.type == mcp::ResultType::complete;
  if (complete) refuse_violation(entry, reply.body, reply);
}

// What a task has come to is told by itself, or inside the state of the task.
void Pipeline::check_task_result(const Call& call, const Catalog& catalog,
                                 const TaskIds::Place& place, mcp::Reply& reply) const {
  if (reply.is_error || validation_.results == Validation::off) return;
  const auto tool = task_tools_.find(place.upstream, place.id);
  const auto* const entry = tool ? catalog.find(ItemKind::tool, *tool) : nullptr;
  if (!entry || !checks_result(*entry)) return;
  if (call.request.method == "tasks/result") {
    refuse_violation(*entry, reply.body, reply);
  } else if (const auto outcome = mcp::outcome_of(reply.body); outcome && !outcome->is_error) {
    refuse_violation(*entry, outcome->body, reply);
  }
}

void Pipeline::refuse_violation(const CatalogEntry& entry, std::string_view result,
                                mcp::Reply& reply) const {
  auto fit = entry.schemas->check_result(result, validation_.refuses_unusable(validation_.results));
  if (fit) return;
  if (validation_.results == Validation::enforce) {
    reply = mcp::error_reply(fit.error());
  } else {
    log_violation("result does not fit", entry, fit.error());
  }
}

Task<mcp::Reply> Pipeline::answer(const Call& call, const CatalogEntry& entry,
                                  std::string_view own) {
  if (call.request.method == "resources/subscribe") return subscribe(call, entry, own);
  if (call.request.method == "resources/unsubscribe") return unsubscribe(call, entry, own);
  return entry.upstream->answer(call, own);
}

// Subscriptions of many clients to one resource are one to its upstream.
Task<mcp::Reply> Pipeline::subscribe(const Call& call, const CatalogEntry& entry,
                                     std::string_view own) {
  auto reply = co_await entry.upstream->answer(call, own);
  if (reply && !reply->is_error) subscriptions_.add(call.upstream, own);
  co_return reply;
}

Task<mcp::Reply> Pipeline::unsubscribe(const Call& call, const CatalogEntry& entry,
                                       std::string_view own) {
  if (!subscriptions_.remove(call.upstream, own)) co_return mcp::result_reply("{}");
  co_return co_await entry.upstream->answer(call, own);
}

}  // namespace patchbay::gateway
