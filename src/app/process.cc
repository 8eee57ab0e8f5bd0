#include "app/process.h"

#include <sys/prctl.h>
#include <sys/resource.h>
#include <unistd.h>

#include <fstream>

#include "observe/log.h"

namespace patchbay::app {

void protect_process() {
  ::prctl(PR_SET_DUMPABLE, 0);
  const rlimit none{0, 0};
  ::setrlimit(RLIMIT_CORE, &none);
}

void raise_descriptor_limit(int connections) {
  rlimit limit{};
  if (::getrlimit(RLIMIT_NOFILE, &limit) != 0) return;
  limit.rlim_cur = limit.rlim_max;
  ::setrlimit(RLIMIT_NOFILE, &limit);
  const auto wanted = static_cast<rlim_t>(connections) + 256;
  if (limit.rlim_cur < wanted) {
    log::Line(log::Level::warn, "few descriptors")
        .add("limit", std::uint64_t{limit.rlim_cur})
        .add("connections", connections)
        .add("hint", "raise ulimit -n or lower limits.max_connections");
  }
}

}  // namespace patchbay::app
