#include "gateway/approval/consent.h"

#include <fmt/format.h>

#include "async/one_shot.h"
#include "crypto/sha256.h"
#include "gateway/call/clock.h"
#include "gateway/call/trace_context.h"
#include "json/canonical.h"
#include "json/read.h"
#include "mcp/capabilities.h"
#include "mcp/tool_result.h"
#include "observe/log.h"

namespace patchbay::gateway {
namespace {

// The tool exists, so its caller learns what is wrong as it would from the tool itself.
mcp::Reply refusal(std::string_view why) {
  auto reply = mcp::tool_result({why}, true);
  reply.why = Code::forbidden;
  return reply;
}

// What a call is answered with that could not be approved, because the approvals could not be used.
Result<std::optional<mcp::Reply>> not_made(std::string_view tool, const Error& why) {
  if (why.code == Code::cancelled) return why;
  if (why.code == Code::overloaded) return std::optional(refusal(why.message));
  auto reply = refusal(
      fmt::format("this call of {} needs approval and was not made: {}", tool, why.message));
  reply.why = why.code;
  return std::optional(std::move(reply));
}

constexpr std::string_view kForm =
    R"({"type":"object","properties":{"approve":{"type":"boolean","title":"Approve this call",)"
    R"("description":"True lets it be made, once.","default":false}},"required":["approve"]})";

void log_approval(std::string_view what, const Call& call, const policy::ApprovalSubject& subject) {
  log::Line(log::Level::info, what)
      .add("who", call.caller->name)
      .add("tool", subject.tool)
      .add("arguments", subject.digest);
}

bool can_fill_in_forms(const Call& call) {
  return mcp::abilities_of(call.revision, call.capabilities).form;
}

}  // namespace

// The call that a person decides about.
struct Consent::Question {
  policy::ApprovalSubject subject;
  std::string arguments;  // Canonical.
};

// Over REST, in goals and on the bus the caller itself would answer, although the rule restricts
// that caller.
bool Consent::may_ask_user(const Call& call) const {
  return call.has_user && can_fill_in_forms(call) && approvals_.settings().elicit.value_or(false);
}

bool Consent::may_ask(const Call& call, const CatalogEntry& entry) const {
  return entry.conditions && entry.conditions->may_need_approval && may_ask_user(call);
}

Task<std::optional<mcp::Reply>> Consent::evaluate(Call& call, const CatalogEntry& entry,
                                                  const Catalog& catalog) {
  const auto* const given = call.request.param("arguments");
  const std::string_view arguments = given ? given->raw : "{}";
  const auto verdict = entry.conditions->evaluate(arguments);
  call.rule = verdict.rule;
  if (!verdict.allowed) {
    co_return refusal(
        fmt::format("these arguments are not allowed for {}: {}", entry.dotted, verdict.refused));
  }
  if (!verdict.approve) co_return std::nullopt;
  auto canonical = json::canonical(arguments);
  if (!canonical) co_return refusal(canonical.error().message);
  if (canonical->size() > approvals_.settings().arguments.value) {
    co_return refusal(fmt::format(
        "{} needs approval, and these arguments are too large to be displayed to a person",
        entry.dotted));
  }
  std::string digest = policy::sha256(*canonical);
  const Question question{
      {call.caller->id, entry.dotted, std::move(digest), catalog.access()->version()},
      *std::move(canonical)};
  co_return co_await approve(call, question);
}

Task<std::optional<mcp::Reply>> Consent::approve(Call& call, const Question& question) {
  auto by = co_await approvals_.take(question.subject);
  if (!by) co_return not_made(question.subject.tool, by.error());
  if (*by) {
    call.approved_by = **std::move(by);
    log_approval("approval used", call, question.subject);
    co_return std::nullopt;
  }
  if (may_ask_user(call)) co_return co_await ask_user(call, question);
  co_return co_await wait_for_admin(call, question);
}

// The deadline of the call is suspended while a person decides.
Task<std::optional<mcp::Reply>> Consent::ask_user(Call& call, const Question& question) {
  const std::string message =
      fmt::format("{} wants to call {} with {}. Approve this call?", call.caller->name,
                  question.subject.tool, question.arguments);
  const std::string params =
      fmt::format(R"({{"message":{},"requestedSchema":{}}})", json::quote(message), kForm);
  // Shared, because the client may answer after nobody waits any more.
  const auto answer = std::make_shared<OneShot<mcp::Reply>>();
  const Deadline asked = here().now();
  const auto traced = begin_question(call, params);
  ask(call, "elicitation/create", traced.params,
      [answer](mcp::Reply reply) { answer->deliver(std::move(reply)); });
  auto reply = co_await answer->wait(asked + call.timeout);
  call.trace.end_question(traced.number, !reply || reply->is_error);
  pause_clock(call, here().now() - asked);
  if (!reply) {
    if (reply.error().code != Code::timeout) co_return reply.error();
    approvals_.note_decision("unanswered", here().now() - asked);
    co_return refusal("nobody answered whether this call is approved; it was not made");
  }
  if (reply->is_error) co_return co_await wait_for_admin(call, question);
  const auto content = json::member(reply->body, "content").value_or("{}");
  const bool approved = json::string_member(reply->body, "action") == "accept" &&
                        json::member(content, "approve") == "true";
  note_decision(call, question.subject, approved);
  approvals_.note_decision(approved ? "approved" : "refused", here().now() - asked);
  if (approved) {
    call.approved_by = fmt::format("the user of {}", call.caller->name);
    co_return std::nullopt;
  }
  co_return refusal(fmt::format("the user did not approve this call of {}; it was not made",
                                question.subject.tool));
}

void Consent::note_decision(const Call& call, const policy::ApprovalSubject& subject,
                            bool approved) {
  log_approval(approved ? "approved by the user" : "refused by the user", call, subject);
  auto record = policy::event_record(policy::kApprovalEvent, *call.caller);
  record.method = approved ? "approve" : "refuse";
  record.from = call.from;
  record.frontend = call.frontend;
  record.target = subject.tool;
  record.digest = subject.digest;
  record.decision = approved ? "allow" : "deny";
  record.by = fmt::format("the user of {}", call.caller->name);
  recorder_.event(std::move(record));
}

Task<std::optional<mcp::Reply>> Consent::wait_for_admin(const Call& call,
                                                        const Question& question) {
  auto id = co_await approvals_.request(question.subject, call.caller->name, question.arguments);
  if (!id) co_return not_made(question.subject.tool, id.error());
  log::Line(log::Level::info, "approval wanted")
      .add("id", *id)
      .add("who", call.caller->name)
      .add("tool", question.subject.tool)
      .add("arguments", question.subject.digest);
  co_return refusal(fmt::format(
      "this call of {} needs approval and was not made. An admin can approve it with: patchbay "
      "approve {} (or POST /control/approvals/{}). Then make the same call again.",
      question.subject.tool, *id, *id));
}

}  // namespace patchbay::gateway
