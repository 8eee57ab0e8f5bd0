#include "upstreams/sign_in_call.h"

#include <fmt/format.h>

#include "gateway/call/clock.h"
#include "gateway/call/trace_context.h"
#include "json/read.h"
#include "mcp/capabilities.h"
#include "mcp/tool_result.h"

namespace patchbay::upstreams {
namespace {

Error not_signed_in(const std::string& upstream, std::string_view why) {
  return {Code::forbidden,
          fmt::format("the call was not made: you have not signed in for {}{}", upstream, why)};
}

std::string question(const std::string& upstream, const oauth::SignInOffer& offer) {
  const std::string message =
      fmt::format("Sign in, so that {} can be used in your name.", upstream);
  return fmt::format(R"({{"mode":"url","message":{},"url":{},"elicitationId":{}}})",
                     json::quote(message), json::quote(offer.url), json::quote(offer.id));
}

}  // namespace

Task<void> sign_in(const gateway::Call& call, const oauth::Access& access, bool asks) {
  const std::string& upstream = access.plan().upstream;
  // All callers share the resulting token, so not every caller may replace it.
  if (!access.plan().per_caller && !call.is_admin) {
    co_return Error{
        Code::forbidden,
        fmt::format("the call was not made: an admin has to sign in for {} first", upstream)};
  }
  auto offer = co_await access.offer(call.caller);
  if (!offer) co_return offer.error();
  if (!asks || !mcp::abilities_of(call.revision, call.capabilities).url) {
    co_return Error{Code::forbidden,
                    fmt::format("{} wants you to sign in. Open {} in your browser, then make the "
                                "call again.",
                                upstream, offer->url)};
  }
  // Shared, because the client may answer after nobody waits any more.
  const auto answer = std::make_shared<OneShot<mcp::Reply>>();
  const Deadline asked = here().now();
  const std::string params = question(upstream, *offer);
  const auto traced = gateway::begin_question(call, params);
  gateway::ask(call, "elicitation/create", traced.params,
               [answer](mcp::Reply reply) { answer->deliver(std::move(reply)); });
  auto reply = co_await answer->wait(asked + call.timeout);
  call.trace.end_question(traced.number, !reply || reply->is_error);
  if (!reply && reply.error().code != Code::timeout) co_return reply.error();
  if (!reply) co_return not_signed_in(upstream, "; nobody answered");
  const bool accepts = !reply->is_error && json::string_member(reply->body, "action") == "accept";
  if (!accepts) co_return not_signed_in(upstream, "");
  auto done = co_await access.wait(offer->id, asked + call.timeout);
  gateway::pause_clock(call, here().now() - asked);
  if (done) {
    if (!mcp::info(call.revision).stateless) {
      gateway::notify(call, "notifications/elicitation/complete",
                      fmt::format(R"({{"elicitationId":{}}})", json::quote(offer->id)));
    }
    co_return ok();
  }
  if (done.error().code == Code::timeout) co_return not_signed_in(upstream, " in time");
  if (done.error().code == Code::cancelled) co_return done;
  co_return not_signed_in(upstream, ": " + done.error().message);
}

Result<mcp::Reply> sign_in_reply(const gateway::Call& call, const Error& error) {
  if (error.code != Code::forbidden || call.method.action != mcp::Action::call_tool) return error;
  auto reply = mcp::tool_result({error.message}, true);
  reply.why = Code::forbidden;
  return reply;
}

}  // namespace patchbay::upstreams
