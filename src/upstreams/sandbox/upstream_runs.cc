// The part of the SandboxUpstream that runs programs and accesses files.
#include <fmt/format.h>

#include <algorithm>

#include "crypto/sha256.h"
#include "json/read.h"
#include "observe/log.h"
#include "sandbox/evidence.h"
#include "upstreams/sandbox/answers.h"
#include "upstreams/sandbox/files.h"
#include "upstreams/sandbox/upstream.h"

namespace patchbay::upstreams {
namespace {

// Added to its own time limit: time to kill the program and to receive the answer.
constexpr std::chrono::milliseconds kMargin{2'000};
constexpr std::chrono::milliseconds kShortestWall{100};

// Sends the output of a running program as progress of the call, if its caller requested progress.
// The agent was asked for a bounded amount; a compromised one may send more.
class OutputUpdates {
 public:
  OutputUpdates(const gateway::Call& call, std::uint64_t most)
      : call_(call), token_(call.request.meta_member("progressToken")), most_(most) {}

  bool wanted() const { return token_ != nullptr; }

  void notify(std::string_view text) {
    if (bytes_ + text.size() > most_) return;
    bytes_ += text.size();
    gateway::notify(call_, "notifications/progress",
                    fmt::format(R"({{"progressToken":{},"progress":{},"message":{}}})", token_->raw,
                                bytes_, json::quote(text)));
  }

 private:
  const gateway::Call& call_;
  const mcp::Member* const token_;
  const std::uint64_t most_;
  std::uint64_t bytes_ = 0;
};

double in_seconds(config::Duration time) { return static_cast<double>(time.count()) / 1000; }

// The parameters for the agent in addition to the caller's arguments.
std::string params_for(const RunRequest& request, config::Duration wall,
                       const SandboxLimits& limits, bool extended, bool stream) {
  std::string params = request.params;
  if (extended) {
    params += fmt::format(R"(,"timeout":{},"grace":{},"max_output":{},"keep":"ends")",
                          in_seconds(wall), in_seconds(limits.grace), limits.output.value);
    if (stream) params += fmt::format(R"(,"stream":true,"max_stream":{})", limits.output.value);
  }
  return params + "}";
}

// The program's part of the remaining time of the call, so that its end can still be reported.
config::Duration wall_within(const gateway::Call& call, config::Duration wanted,
                             config::Duration margin) {
  if (call.deadline == kNever) return wanted;
  const auto left = std::chrono::duration_cast<config::Duration>(call.deadline - here().now());
  return std::clamp(left - margin, std::min(kShortestWall, wanted), wanted);
}

// The answer if the agent sent none.
std::string no_result(const Error& why) {
  return fmt::format(R"({{"exit_code":-1,"stdout":"","stderr":{},"timed_out":{}}})",
                     json::quote(why.message), why.code == Code::timeout);
}

}  // namespace

// The longest run that a caller may request in a sandbox that must be started for it.
gateway::UpstreamTimeout SandboxUpstream::call_timeout() const {
  const SandboxLimits& limits = settings_.limits;
  return {settings_.start_time + std::max(limits.wall, limits.wall_most) + limits.grace + kMargin,
          "limits.max_timeout"};
}

Task<std::string> SandboxUpstream::run(const gateway::Call& call, SandboxTool tool,
                                       std::string_view arguments) {
  auto request = read_run(tool, arguments, settings_);
  if (!request) co_return request.error();
  const bool stored = !request->sandbox.empty();
  Result<std::shared_ptr<Sandbox>> sandbox;
  if (stored) {
    sandbox = table_.find(call.caller->id, request->sandbox);
  } else {
    const CreateRequest usual{settings_.limits, settings_.ttl};
    sandbox = co_await make(call.caller->id, usual, call.deadline);
  }
  if (!sandbox) co_return sandbox.error();
  table_.begin_use(**sandbox);
  auto answer = co_await run_in(call, *request, *sandbox);
  table_.end_use(*sandbox);
  // A sandbox that was created for this run is no longer needed; one that has ended is useless.
  if (!stored || (*sandbox)->guest->agent().closed()) table_.remove(**sandbox);
  co_return answer;
}

Task<std::string> SandboxUpstream::run_in(const gateway::Call& call, const RunRequest& request,
                                          std::shared_ptr<Sandbox> sandbox) {
  AgentLink& agent = sandbox->guest->agent();
  if (request.extended && !agent.extended()) {
    co_return Error{Code::invalid_params,
                    "the agent of this sandbox takes no argv, cwd, env and stdin"};
  }
  // The two outputs, with invalid text replaced.
  OutputUpdates update(call, 6 * sandbox->limits.output.value);
  AgentLink::Output output;
  if (update.wanted())
    output = [&update](std::string_view, std::string_view text) { update.notify(text); };
  const config::Duration margin = sandbox->limits.grace + kMargin;
  const auto wall = wall_within(call, request.wall, margin);
  auto params = params_for(request, wall, sandbox->limits, agent.extended(), update.wanted());
  auto result = co_await agent.ask(request.method, std::move(params), here().now() + wall + margin,
                                   std::move(output));
  const auto failed_by = [&](Code code) { return !result && result.error().code == code; };
  const bool cancelled = failed_by(Code::cancelled);
  if (failed_by(Code::timeout) || (cancelled && !agent.extended())) {
    // It does not end the program: nothing inside can be trusted.
    table_.remove(*sandbox);
  }
  if (cancelled) note_run(request, *sandbox, {no_result(result.error()), "cancelled"}, wall);
  const bool lost = failed_by(Code::timeout) || failed_by(Code::unavailable);
  if (!result && !lost) co_return result.error();

  RunOutcome outcome{result ? *std::move(result) : no_result(result.error())};
  auto usage = co_await usage_of(*sandbox);
  if (usage) outcome.usage = *usage;
  outcome.verdict = verdict_on(outcome.result, sandbox->seen, outcome.usage);
  sandbox->seen = outcome.usage;
  sandbox->last = last_run_of(request.method, outcome);
  note_run(request, *sandbox, outcome, wall);
  const std::string_view id = request.sandbox.empty() ? "" : std::string_view(sandbox->id);
  co_return run_answer(outcome, engine_->isolation(), id);
}

// The log line of a run: the caller, the program, its limits, and how it ended.
void SandboxUpstream::note_run(const RunRequest& request, const Sandbox& sandbox,
                               const RunOutcome& outcome, config::Duration wall) const {
  const auto count = [&](std::string_view name) {
    return json::as_int(json::member(outcome.result, name).value_or("0")).value_or(0);
  };
  counters_.runs(outcome.verdict).add();
  log::Line line(log::Level::info, "sandbox run");
  line.add("upstream", name_)
      .add("sandbox", sandbox.id)
      .add("who", sandbox.owner)
      .add("isolation", engine_->isolation())
      .add("sha256", policy::sha256(request.what))
      .add("verdict", outcome.verdict)
      .add("code", count("exit_code"))
      .add("stdout_bytes", count("stdout_bytes"))
      .add("stderr_bytes", count("stderr_bytes"))
      .add("truncated", json::member(outcome.result, "truncated") == "true" ? "yes" : "no")
      .add("memory_peak", outcome.usage.memory_peak);
  add_limits(line, sandbox.limits, sandbox.guest->absent()).add("wall", config::print(wall));
}

Task<sandbox::Usage> SandboxUpstream::usage_of(const Sandbox& sandbox) {
  if (sandbox.guest->agent().closed()) co_return co_await sandbox.guest->last_usage();
  auto cgroup = sandbox.guest->cgroup();
  if (cgroup.folders().empty()) co_return sandbox::Usage();
  std::function<Result<sandbox::Usage>()> read = [cgroup = std::move(cgroup)] {
    return Result<sandbox::Usage>(cgroup.usage());
  };
  co_return co_await files_.run<sandbox::Usage>(std::move(read));
}

Task<std::string> SandboxUpstream::use_file(const gateway::Call& call, SandboxTool tool,
                                            const FileRequest& request) {
  auto found = table_.find(call.caller->id, request.sandbox);
  if (!found) co_return found.error();
  const auto sandbox = *found;
  table_.begin_use(*sandbox);
  SandboxFiles files(*sandbox->guest, files_, settings_, call.deadline);
  Result<std::string> answer;
  if (tool == SandboxTool::read_file) {
    auto piece = co_await files.read(request);
    answer = piece ? file_answer(*piece, request, engine_->isolation())
                   : Result<std::string>(piece.error());
  } else if (tool == SandboxTool::write_file) {
    auto written = co_await files.write(request);
    answer = written ? written_answer(request, engine_->isolation())
                     : Result<std::string>(written.error());
  } else {
    auto entries = co_await files.list(request);
    answer = entries ? folder_answer(*entries, engine_->isolation())
                     : Result<std::string>(entries.error());
  }
  table_.end_use(sandbox);
  co_return answer;
}

Task<mcp::Reply> SandboxUpstream::read_resource(const gateway::Call& call, std::string_view uri) {
  auto request = read_resource_request(uri);
  if (!request) co_return request.error();
  auto found = table_.find(call.caller->id, request->sandbox);
  if (!found) co_return Error{Code::resource_not_found, found.error().message};
  const auto sandbox = *found;
  table_.begin_use(*sandbox);
  SandboxFiles files(*sandbox->guest, files_, settings_, call.deadline);
  auto piece = co_await files.read(*request);
  table_.end_use(sandbox);
  if (!piece) co_return piece.error();
  co_return mcp::result_reply(resource_answer(uri, piece->bytes));
}

}  // namespace patchbay::upstreams
