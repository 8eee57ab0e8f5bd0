#include "upstreams/sandbox/guests.h"

#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

namespace patchbay::upstreams {
namespace {

constexpr std::size_t kSlack = 1 << 20;

}  // namespace

Result<AgentProgram> find_agent(const SandboxSettings& settings) {
  std::vector<std::string> options{"--max-output", std::to_string(settings.limits.output.value),
                                   "--guard"};
  const auto with = [&](std::vector<std::string> args) {
    args.insert(args.end(), options.begin(), options.end());
    return args;
  };
  if (!settings.agent.empty()) {
    if (::access(settings.agent.c_str(), X_OK) == 0) {
      return AgentProgram{settings.agent, with({settings.agent})};
    }
    return Error{Code::unavailable,
                 fmt::format("cannot run the agent {}: {}", settings.agent, std::strerror(errno))};
  }
  const std::string helper = sandbox::helper_program();
  if (helper.ends_with("/patchbay-agent")) return AgentProgram{helper, with({helper})};
  return AgentProgram{helper, with({helper, "agent"})};
}

transport::LineLimits agent_line_limits(const SandboxSettings& settings) {
  // A control character takes six bytes, and there are two outputs; a file is base64.
  const std::size_t outputs = settings.limits.output.value * 12;
  const std::size_t content = settings.content.value * 2;
  return {std::max(outputs, content) + kSlack,
          settings.command.value * 6 + settings.content.value * 6 + kSlack};
}

std::vector<std::string> limits_around() {
  return {"memory",   "swap", "pids",  "cpu",        "io",
          "cpu_time", "disk", "files", "open_files", "address_space"};
}

const std::string& agent_token(const SandboxSettings& settings) {
  static const std::string none;
  if (settings.engine == SandboxEngine::microvm) return settings.microvm.token;
  return settings.engine == SandboxEngine::remote ? settings.remote.token : none;
}

std::unique_ptr<Engine> make_engine(const std::string& upstream, const SandboxSettings& settings,
                                    ThreadPool& pool, metrics::Registry* registry) {
  switch (settings.engine) {
    case SandboxEngine::bubblewrap:
      return make_bubblewrap_engine(upstream, settings, pool, registry);
    case SandboxEngine::microvm:
      return make_microvm_engine(upstream, settings, pool);
    case SandboxEngine::remote:
      return make_remote_engine(settings);
    case SandboxEngine::none:
      break;
  }
  return make_bare_engine(upstream, settings, pool);
}

}  // namespace patchbay::upstreams
