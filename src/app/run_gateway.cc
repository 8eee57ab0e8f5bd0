#include "app/run_gateway.h"

#include <fmt/format.h>
#include <malloc.h>

#include <csignal>
#include <cstdio>

#include "app/one_line.h"
#include "app/process_state.h"
#include "net/process/orphans.h"
#include "net/process/signals.h"
#include "observe/log.h"

namespace patchbay::app {
namespace {

// Answers of a megabyte are common. Returning their memory to the kernel and getting it again page
// by page costs more than copying them. Set once, before there are other threads.
void keep_large_blocks() {
  ::mallopt(M_MMAP_THRESHOLD, 8 << 20);
  ::mallopt(M_TRIM_THRESHOLD, 16 << 20);
}

}  // namespace

void print_faults(const config::Faults& faults) {
  for (const auto& fault : faults) fmt::print(stderr, "{}\n", on_line(config::to_string(fault)));
}

void print_notes(const config::Faults& notes) {
  for (const auto& note : notes) {
    fmt::print(stderr, "warning: {}\n", on_line(config::to_string(note)));
  }
}

int run_gateway(Configuration configuration, const Overrides& overrides,
                const std::function<int(Gateway&)>& run) {
  keep_large_blocks();
  net::block_signals({SIGUSR1, SIGUSR2});
  net::Orphans::before_threads();
  log::start(configuration.settings.log.level, configuration.settings.log.format);
  for (const auto& name : configuration.ignored) {
    log::Line(log::Level::info, "property ignored").add("name", name);
  }
  log_notes(configuration.notes);
  log_warnings(configuration.warnings);
  int code = 1;
  auto state = ProcessState::open(configuration.settings);
  if (state) {
    Gateway gateway(std::move(configuration), overrides, *std::move(state));
    code = run(gateway);
  } else {
    // Nothing is safe without keys, so the gateway does not start.
    fmt::print(stderr, "patchbay: {}\n", state.error().message);
  }
  log::stop();
  return code;
}

}  // namespace patchbay::app
