#include "sandbox/evidence.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace patchbay::upstreams {
namespace {

std::string written(const sandbox::IoLimits& io) {
  return fmt::format("read {} write {} reads {} writes {}", config::print(io.read),
                     config::print(io.write), io.reads, io.writes);
}

}  // namespace

log::Line& add_limits(log::Line& line, const sandbox::Limits& limits,
                      const std::vector<std::string>& absent) {
  return line.add("memory", limits.memory.value)
      .add("pids", limits.pids)
      .add("cpu", fmt::format("{}", limits.cpu))
      .add("io", written(limits.io))
      .add("disk", limits.disk.value)
      .add("absent", fmt::format("{}", fmt::join(absent, " ")));
}

std::string_view verdict_on(const net::Ending& ending, const sandbox::Usage& usage) {
  // A program in a sandbox that was killed by a signal is reported as a shell does.
  const bool by_signal = ending.by_signal || ending.status > 128;
  if (ending.code() != 0 && usage.out_of_memory > 0) return "memory";
  if (ending.code() != 0 && usage.pids_refused > 0) return "pids";
  return by_signal ? "signal" : "exit";
}

}  // namespace patchbay::upstreams
