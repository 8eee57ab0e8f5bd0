// The part of the SandboxUpstream for the people who look after its sandboxes.
#include <algorithm>

#include "async/hop.h"
#include "core/text.h"
#include "json/read.h"
#include "observe/log.h"
#include "upstreams/sandbox/answers.h"
#include "upstreams/sandbox/upstream.h"

namespace patchbay::upstreams {
namespace {

constexpr std::size_t kMaxOutput = 4'096;  // Of each of the two outputs of the last run.

// The end of an output. The agent has replaced invalid text; the cut may make some again.
std::string end_of(std::string_view result, std::string_view member) {
  std::string text = json::string_member(result, member).value_or("");
  if (text.size() <= kMaxOutput) return text;
  std::size_t from = text.size() - kMaxOutput;
  while (from < text.size() && (static_cast<unsigned char>(text[from]) & 0xC0U) == 0x80U) ++from;
  return text.substr(from);
}

}  // namespace

gateway::SandboxRun last_run_of(std::string_view method, const RunOutcome& outcome) {
  const auto code = json::member(outcome.result, "exit_code");
  return {std::string(method),
          std::string(outcome.verdict),
          code ? json::as_int(*code).value_or(0) : 0,
          end_of(outcome.result, "stdout"),
          end_of(outcome.result, "stderr"),
          std::chrono::system_clock::now()};
}

Task<std::vector<gateway::SandboxLine>> SandboxUpstream::sandboxes(std::string owner) {
  auto there = [this, &owner] { return sandboxes_here(owner); };
  co_return co_await hop<std::vector<gateway::SandboxLine>>(owner_, there);
}

Task<std::vector<gateway::SandboxLine>> SandboxUpstream::sandboxes_here(const std::string& owner) {
  std::vector<gateway::SandboxLine> lines;
  for (const auto& sandbox : owner.empty() ? table_.all() : table_.of(owner)) {
    auto usage = co_await usage_of(*sandbox);
    const sandbox::Usage used = usage ? *usage : sandbox::Usage();
    const SandboxLimits& limits = sandbox->limits;
    const auto& absent = sandbox->guest->absent();
    const auto bound = [&](std::string_view name, std::uint64_t value) {
      return std::ranges::find(absent, name) == absent.end() ? value : 0;
    };
    gateway::SandboxLine line;
    line.id = sandbox->id;
    line.owner = sandbox->owner;
    line.isolation = engine_->isolation();
    line.warm = sandbox->warm;
    line.uses = sandbox->uses;
    line.created = sandbox->created;
    line.expires = std::chrono::system_clock::now() +
                   std::chrono::duration_cast<std::chrono::system_clock::duration>(sandbox->ttl);
    if (sandbox->uses == 0) {
      line.expires = std::chrono::system_clock::now() +
                     std::chrono::duration_cast<std::chrono::system_clock::duration>(
                         sandbox->expires - here().now());
    }
    line.memory_limit = bound("memory", limits.memory.value);
    line.memory_now = used.memory_now;
    line.memory_peak = used.memory_peak;
    line.cpu_limit_us =
        bound("cpu_time", static_cast<std::uint64_t>(limits.cpu_time.count()) * 1'000);
    line.cpu_us = used.cpu_us;
    line.disk_limit = bound("disk", limits.disk.value);
    line.pids_limit = static_cast<int>(bound("pids", static_cast<std::uint64_t>(limits.pids)));
    line.pids_refused = used.pids_refused;
    line.out_of_memory = used.out_of_memory;
    line.has_run = sandbox->last.has_value();
    if (sandbox->last) line.last = *sandbox->last;
    lines.push_back(std::move(line));
  }
  co_return lines;
}

Task<std::string> SandboxUpstream::destroy_sandbox(std::string id, std::string owner) {
  auto there = [this, &id, &owner]() -> Task<std::string> {
    auto found = owner.empty() ? table_.find_any(id) : table_.find(owner, id);
    if (!found) co_return found.error();
    const auto sandbox = *found;
    log::Line(log::Level::info, "sandbox destroyed")
        .add("upstream", name_)
        .add("sandbox", sandbox->id)
        .add("who", sandbox->owner);
    table_.remove(*sandbox);
    co_return sandbox->owner;
  };
  co_return co_await hop<std::string>(owner_, there);
}

}  // namespace patchbay::upstreams
