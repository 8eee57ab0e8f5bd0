#include "upstreams/builtin/upstream.h"

#include <fmt/format.h>

#include <algorithm>

#include "json/read.h"
#include "mcp/tool_result.h"

namespace patchbay::upstreams {
namespace {

std::string definition(const Skill& skill) {
  return fmt::format(R"({{"name":{},"title":{},"description":{},"inputSchema":{}}})",
                     json::quote(skill.name), json::quote(skill.title),
                     json::quote(skill.description), skill.input_schema);
}

}  // namespace

BuiltinUpstream::BuiltinUpstream(std::string name, std::vector<OfferedSkill> skills,
                                 gateway::UpstreamWatcher& watcher)
    : name_(std::move(name)), skills_(std::move(skills)), watcher_(watcher) {}

Task<void> BuiltinUpstream::start() {
  mcp::ItemLists items;
  for (const auto& [skill, state, listed] : skills_) {
    if (state) state->start();
    mcp::of(items, mcp::ItemKind::tool)
        .push_back({std::string(skill->name), definition(*skill), listed});
  }
  watcher_.offers(*this, std::move(items));
  co_return ok();
}

Task<mcp::Reply> BuiltinUpstream::answer(const gateway::Call& call, std::string_view target) {
  const auto offered =
      std::ranges::find(skills_, target, [](const OfferedSkill& one) { return one.skill->name; });
  if (offered == skills_.end()) {
    co_return Error{Code::not_found, fmt::format("there is no skill '{}'", target)};
  }
  const auto* const arguments = call.request.param("arguments");
  const std::string_view raw = arguments ? arguments->raw : "{}";
  if (json::type_of(raw) != json::Type::object) {
    co_return Error{Code::invalid_params, "'arguments' must be an object"};
  }
  const trace::StageGuard attempt(call.trace, trace::Stage::attempt);
  auto answer = offered->state ? co_await offered->state->run(raw) : offered->skill->run(raw);
  if (!answer && answer.error().code == Code::cancelled) co_return answer.error();
  // A tool's failure is a result that the model can read, not a failure of the protocol.
  const std::string& text = answer ? *answer : answer.error().message;
  co_return mcp::tool_result({text}, !answer);
}

Task<void> BuiltinUpstream::stop(Deadline) {
  for (const auto& [skill, state, listed] : skills_) {
    if (!state) continue;
    auto stopped = co_await state->stop();
    if (!stopped) co_return stopped;
  }
  co_return ok();
}

}  // namespace patchbay::upstreams
