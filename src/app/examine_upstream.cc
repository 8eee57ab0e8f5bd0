#include "app/examine_upstream.h"

#include <array>
#include <string_view>

#include "config/fields.h"
#include "config/load.h"
#include "mcp_client/connect/stdio.h"
#include "net/process/runnable.h"
#include "sandbox/examine.h"
#include "upstreams/sandbox/engine.h"

namespace patchbay::app {
namespace {

template <class Settings>
Settings read_again(const UpstreamEntry& entry, const config::Node& own, const std::string& file) {
  config::Faults reported_before;
  const std::array ignored{std::string_view("kind")};
  return config::read<Settings>(own, file, entry.path, reported_before, ignored);
}

}  // namespace

ExamineUpstream examine_upstream(const UpstreamEntry& entry, const config::Node& own,
                                 const std::string& file) {
  if (entry.kind == "stdio") {
    const auto settings = read_again<upstreams::StdioSettings>(entry, own, file);
    return [program = upstreams::program_of(settings), box = settings.sandbox]() -> Result<void> {
      if (box) {
        auto can = sandbox::can_isolate(*box);
        // With its own root, the program belongs to that system.
        if (!can || !box->root.empty()) return can;
      } else if (auto folder = net::check_folder(program); !folder) {
        return folder;
      }
      return net::check_runnable(program);
    };
  }
  if (entry.kind == "sandbox") {
    const auto settings = read_again<upstreams::SandboxSettings>(entry, own, file);
    if (settings.engine != upstreams::SandboxEngine::bubblewrap) return nullptr;
    return
        [isolation = upstreams::isolation_of(settings)] { return sandbox::can_isolate(isolation); };
  }
  return nullptr;
}

}  // namespace patchbay::app
