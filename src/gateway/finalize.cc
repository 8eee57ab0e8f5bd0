#include "gateway/finalize.h"

#include <fmt/format.h>

#include "mcp/capabilities.h"
#include "mcp/compose.h"
#include "mcp/question.h"
#include "mcp/shape.h"

namespace patchbay::gateway {
namespace {

// Lists change with the upstreams and differ between callers: clients must not cache or share them.
constexpr std::string_view kNoCaching = R"("ttlMs":0,"cacheScope":"private")";

// True if a call failed, with an error or with a tool result that reports a failure.
bool failed(const mcp::Reply& reply) { return reply.is_error || reply.has_failed; }

// The error for a call that needed a capability that the client lacks.
mcp::Reply missing_capability(std::string_view capability) {
  return mcp::error_reply({Code::missing_capability,
                           fmt::format("the call needs the capability '{}'", capability),
                           fmt::format(R"({{"requiredCapabilities":{{"{}":{{}}}}}})", capability)});
}

// The error by which a session-based upstream requests that a URL be opened becomes a result that
// requests it, if the client can open URLs.
void ask_for_urls(const Call& call, mcp::Reply& reply) {
  if (!call.method.has(mcp::kInputRounds)) return;
  auto questions = mcp::url_questions(reply.body);
  if (!questions || !mcp::abilities_of(call.revision, call.capabilities).url) return;
  reply = mcp::result_reply(*std::move(questions));
  reply.type = mcp::ResultType::input_required;
}

}  // namespace

void finalize(const Call& call, mcp::Reply& reply) {
  const bool stateless = mcp::info(call.revision).stateless;
  if (stateless && !call.missing.empty() && failed(reply)) reply = missing_capability(call.missing);
  if (stateless && reply.is_error && reply.from) ask_for_urls(call, reply);
  if (reply.is_error) {
    if (reply.from) {
      mcp::shape_error(reply, call.request.method, *reply.from, call.revision, call.target);
    }
    return;
  }
  // The result of a task has the form of the answer to its call.
  const bool outcome = call.method.action == mcp::Action::task_result;
  mcp::shape_result(reply, outcome ? "tools/call" : call.request.method, call.revision);
  if (!stateless || reply.is_error) return;
  const bool complete = reply.type != mcp::ResultType::input_required;
  if (call.method.has(mcp::kCacheHints) && complete && !reply.has_hints) {
    mcp::add_to_result(reply, std::string(kNoCaching));
  }
  mcp::make_stateless(reply, call.server_info);
}

}  // namespace patchbay::gateway
