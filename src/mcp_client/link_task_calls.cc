// The services of a link for the tasks of its server.
#include "json/read.h"
#include "json/write.h"
#include "mcp/capabilities.h"
#include "mcp/compose.h"
#include "mcp/tasks.h"
#include "mcp_client/link.h"

namespace patchbay::upstreams {

std::string McpLink::capabilities_of(const gateway::Call* call, bool with_tasks) const {
  if (!call) return mcp::client_capabilities(revision_, mcp::Abilities{.tasks = with_tasks});
  if (mcp::info(call->revision).stateless) return std::string(call->capabilities);
  auto can = mcp::abilities_of(call->revision, call->capabilities);
  can.tasks = with_tasks;
  return mcp::client_capabilities(revision_, can);
}

Task<mcp::Reply> McpLink::ask_about(const gateway::Call* call, std::string_view method,
                                    const std::string& id, std::string_view more,
                                    Deadline deadline) {
  Pending pending;
  pending.call = call;
  pending.id = next_id_++;
  pending.task = id;
  std::string params;
  {
    json::Object object(params);
    object.raw("taskId", json::quote(id));
    object.members(more);
  }
  trace::SentContext context;
  if (call) {
    call->trace.begin_attempt();
    context = call->trace.for_upstream();
  }
  if (stateless()) params = mcp::with_envelope(params, revision_, capabilities_of(call, true));
  params = mcp::with_context(params, context);
  const transport::Sending sending{
      .id = pending.id, .method = method, .name = id, .context = &context, .revision = revision_};
  auto sent = send(mcp::request(raw_id(pending.id), method, params), sending, pending, deadline);
  if (!sent) co_return sent.error();
  auto answer = co_await pending.answer.wait();
  auto reply = received(pending, std::move(answer));
  if (call) call->trace.leave(!reply || reply->is_error);
  co_return reply;
}

std::string McpLink::with_listed_tasks(const gateway::Call& call, std::string_view params) const {
  return mcp::with_task_ids(params, [&](std::string_view id) { return tasks_.listed(call, id); });
}

}  // namespace patchbay::upstreams
