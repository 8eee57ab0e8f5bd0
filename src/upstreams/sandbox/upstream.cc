#include "upstreams/sandbox/upstream.h"

#include <fmt/format.h>

#include "async/hop.h"
#include "mcp/tool_result.h"
#include "observe/log.h"
#include "upstreams/sandbox/answers.h"

namespace patchbay::upstreams {
namespace {

constexpr int kFilesWaiting = 1'024;

Error is_stopping() { return {Code::unavailable, "the upstream is stopping"}; }

}  // namespace

class SandboxUpstream::Running {
 public:
  Running(SandboxUpstream& upstream, Stop* caller)
      : pass_(upstream.calls_), by_caller_(caller, stop_), by_upstream_(&upstream.ending_, stop_) {}

  Stop& stop() { return stop_; }

 private:
  const Gate::Pass pass_;
  Stop stop_;
  const StopLink by_caller_;
  const StopLink by_upstream_;
};

SandboxUpstream::SandboxUpstream(std::string name, SandboxSettings settings,
                                 const std::vector<net::Loop*>& workers,
                                 gateway::UpstreamWatcher& watcher, metrics::Registry& registry)
    : name_(std::move(name)),
      settings_(std::move(settings)),
      owner_(*workers[std::hash<std::string>()(name_) % workers.size()]),
      watcher_(watcher),
      counters_(registry, name_),
      in_flight_(registry.gauge("patchbay_upstream_calls_in_flight",
                                "Calls that an upstream is working on.",
                                metrics::labels({{"upstream", name_}}))),
      files_(settings_.file_threads, kFilesWaiting),
      engine_(make_engine(name_, settings_, files_, &registry)),
      pool_(*engine_, settings_, counters_),
      table_(pool_, settings_, counters_) {}

Task<void> SandboxUpstream::start() {
  auto there = [this] { return begin(); };
  co_return co_await hop<void>(owner_, there);
}

Task<void> SandboxUpstream::begin() {
  auto prepared = co_await engine_->prepare();
  if (!prepared) {
    set_state(false, fmt::format("no sandbox is run: {}", prepared.error().message));
    co_return prepared;
  }
  pool_.start();
  set_state(true, "");
  watcher_.offers(*this, sandbox_items());
  co_return ok();
}

Task<void> SandboxUpstream::stop(Deadline deadline) {
  auto there = [this, deadline] { return end(deadline); };
  co_return co_await hop<void>(owner_, there);
}

Task<void> SandboxUpstream::end(Deadline deadline) {
  stopping_ = true;
  auto idle = co_await calls_.wait_empty(deadline);
  ending_.request();
  if (!idle) idle = co_await calls_.wait_empty();
  // Programs that still run in them end with them.
  table_.clear();
  auto stopped = co_await pool_.stop();
  set_state(false, "stopped");
  co_return stopped;
}

void SandboxUpstream::set_state(bool up, std::string detail) {
  {
    const std::lock_guard lock(mutex_);
    state_ = {up, detail};
  }
  const bool well = up || stopping_;
  log::Line(well ? log::Level::info : log::Level::warn, up ? "upstream up" : "upstream down")
      .add("upstream", name_)
      .add("isolation", engine_->isolation())
      .add("detail", detail);
}

gateway::UpstreamState SandboxUpstream::state() const {
  const std::lock_guard lock(mutex_);
  return state_;
}

Task<mcp::Reply> SandboxUpstream::answer(const gateway::Call& call, std::string_view target) {
  in_flight_->add(1);
  auto there = [this, &call, &target] { return serve(call, target); };
  auto reply = co_await hop<mcp::Reply>(owner_, there);
  in_flight_->add(-1);
  co_return reply;
}

Task<mcp::Reply> SandboxUpstream::serve(const gateway::Call& call, std::string_view target) {
  if (const auto now = state(); !now.up) co_return Error{Code::unavailable, now.detail};
  if (stopping_) co_return is_stopping();
  Running running(*this, co_await current_stop());
  const trace::StageGuard attempt(call.trace, trace::Stage::attempt);
  auto serving = serve_to_end(call, target);
  auto reply = co_await serving.with_stop(running.stop());
  if (!reply && reply.error().code == Code::cancelled && ending_.requested()) {
    co_return is_stopping();
  }
  co_return reply;
}

Task<mcp::Reply> SandboxUpstream::serve_to_end(const gateway::Call& call, std::string_view target) {
  if (call.method.action == mcp::Action::read_resource) {
    co_return co_await read_resource(call, target);
  }
  const auto tool = find_sandbox_tool(target);
  if (call.method.action != mcp::Action::call_tool || !tool) {
    co_return Error{Code::not_found, fmt::format("there is no tool '{}'", target)};
  }
  const auto* const given = call.request.param("arguments");
  const std::string_view arguments = given ? given->raw : "{}";
  auto answer = co_await use_tool(call, *tool, arguments);
  if (answer) co_return mcp::result_reply(structured_result(*answer));
  // Errors that a model can correct are tool results.
  if (answer.error().code == Code::cancelled) co_return answer.error();
  co_return mcp::tool_result({answer.error().message}, true);
}

Task<std::string> SandboxUpstream::use_tool(const gateway::Call& call, SandboxTool tool,
                                            std::string_view arguments) {
  const std::string& owner = call.caller->id;
  switch (tool) {
    case SandboxTool::create:
      co_return co_await create(call, arguments);
    case SandboxTool::destroy:
      co_return destroy(owner, arguments);
    case SandboxTool::list:
      co_return list(owner);
    case SandboxTool::execute_code:
    case SandboxTool::run_command:
      co_return co_await run(call, tool, arguments);
    case SandboxTool::read_file:
    case SandboxTool::write_file:
    case SandboxTool::list_directory:
      break;
  }
  auto request = read_file_request(tool, arguments, settings_);
  if (!request) co_return request.error();
  co_return co_await use_file(call, tool, *request);
}

Task<std::shared_ptr<Sandbox>> SandboxUpstream::make(const std::string& owner,
                                                     const CreateRequest& request,
                                                     Deadline deadline) {
  auto slot = table_.reserve(owner);
  if (!slot) co_return slot.error();
  auto taken = co_await pool_.take(request.limits, request.as_configured, deadline);
  if (!taken) {
    table_.put_back(owner);
    co_return taken.error();
  }
  auto sandbox = table_.enter(owner, *std::move(taken), request.limits, request.ttl);
  log::Line(log::Level::info, "sandbox created")
      .add("upstream", name_)
      .add("sandbox", sandbox->id)
      .add("who", owner)
      .add("isolation", engine_->isolation())
      .add("pool", sandbox->warm ? "warm" : "cold");
  co_return sandbox;
}

Task<std::string> SandboxUpstream::create(const gateway::Call& call, std::string_view arguments) {
  auto request = read_create(arguments, settings_);
  if (!request) co_return request.error();
  auto sandbox = co_await make(call.caller->id, *request, call.deadline);
  if (!sandbox) co_return sandbox.error();
  co_return created_answer(**sandbox, engine_->isolation());
}

Result<std::string> SandboxUpstream::destroy(const std::string& owner, std::string_view arguments) {
  auto id = read_sandbox_id(arguments);
  if (!id) return id.error();
  auto sandbox = table_.find(owner, *id);
  if (!sandbox) return sandbox.error();
  table_.remove(**sandbox);
  return destroyed_answer(engine_->isolation());
}

std::string SandboxUpstream::list(const std::string& owner) const {
  return list_answer(table_.of(owner), engine_->isolation());
}

}  // namespace patchbay::upstreams
