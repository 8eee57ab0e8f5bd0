// Fuzzes the input from both sides of a sandbox: arguments of its tools and paths from callers, and
// results from an agent that hostile programs may have taken over. Every path stays beneath the
// workspace, and every answer is JSON.
#include "fuzz/require.h"
#include "json/read.h"
#include "sandbox/cgroup.h"
#include "sandbox/workspace.h"
#include "upstreams/sandbox/answers.h"
#include "upstreams/sandbox/tools.h"

namespace {

using namespace patchbay;

void check_path(std::string_view text) {
  const auto path = sandbox::Workspace::relative(text);
  if (!path) return;
  fuzz::require(!path->empty() && path->front() != '/' && !path->contains('\0'));
  fuzz::require(("/" + *path + "/").find("/../") == std::string::npos);
}

void check_arguments(std::string_view text) {
  using upstreams::SandboxTool;
  static const upstreams::SandboxSettings settings;
  for (const auto tool : {SandboxTool::execute_code, SandboxTool::run_command}) {
    const auto run = upstreams::read_run(tool, text, settings);
    if (run) fuzz::require(static_cast<bool>(json::check(run->params + "}")));
  }
  for (const auto tool :
       {SandboxTool::read_file, SandboxTool::write_file, SandboxTool::list_directory}) {
    const auto request = upstreams::read_file_request(tool, text, settings);
    if (!request) continue;
    fuzz::require(request->content.size() <= settings.content.value);
    fuzz::require(!request->sandbox.empty());
  }
  const auto create = upstreams::read_create(text, settings);
  if (create) {
    fuzz::require(create->limits.memory <= settings.limits.memory);
    fuzz::require(create->limits.cpu <= settings.limits.cpu);
    fuzz::require(create->ttl.count() > 0 && create->ttl <= settings.ttl_most);
  }
}

void check_result(std::string_view text) {
  upstreams::RunOutcome outcome{std::string(text)};
  outcome.verdict = upstreams::verdict_on(text, {}, {});
  const auto answer = upstreams::run_answer(outcome, "namespaces", "id");
  fuzz::require(static_cast<bool>(json::check(answer)));
  fuzz::require(static_cast<bool>(json::check(upstreams::structured_result(answer))));
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const auto text = fuzz::text_of(data, size);
  check_path(text);
  const auto resource = upstreams::read_resource_request(text);
  if (resource) check_path(resource->path);
  const auto half = text.size() / 2;
  const auto paths = sandbox::read_cgroup_paths(text.substr(0, half), text.substr(half));
  for (const auto& base : paths) fuzz::require(base.unified || !base.controllers.empty());
  // Where nothing is known of any disk, none is found.
  const auto disks = sandbox::find_disks({"/usr", "/"}, text, "/nonexistent");
  fuzz::require(!disks || disks->empty());
  if (!json::check(text)) return 0;
  check_arguments(text);
  if (json::type_of(text) == json::Type::object) check_result(text);
  return 0;
}
