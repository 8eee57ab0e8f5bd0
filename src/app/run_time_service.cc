#include "app/run_time_service.h"

#include <fmt/format.h>

#include <chrono>

#include "app/configuration.h"
#include "async/hop.h"
#include "crypto/sha256.h"
#include "observe/log.h"

namespace patchbay::app {
namespace {

using frontends::ChangedTool;
using frontends::ToolSwitch;
using frontends::UpstreamMode;
using frontends::UpstreamSwitch;

std::int64_t now_ms() {
  const auto since = std::chrono::system_clock::now().time_since_epoch();
  return std::chrono::duration_cast<std::chrono::milliseconds>(since).count();
}

}  // namespace

Result<void> RunTimeService::open(const Settings& settings) {
  return switches_.open(state_folder(settings));
}

void RunTimeService::use(UpstreamSet& upstreams, std::function<void()> apply) {
  upstreams_ = &upstreams;
  apply_ = std::move(apply);
}

Task<void> RunTimeService::set_upstream(std::string upstream, UpstreamMode mode, std::string by) {
  auto there = [this, &upstream, mode, &by]() -> Task<void> {
    co_return set_upstream_here(upstream, {mode, by, now_ms()});
  };
  co_return co_await hop<void>(control_, there);
}

Result<void> RunTimeService::set_upstream_here(const std::string& upstream, UpstreamSwitch to) {
  if (!upstreams_->find_by_name(upstream)) {
    return Error{Code::not_found, fmt::format("there is no upstream '{}'", upstream)};
  }
  const UpstreamMode mode = to.mode;
  const std::string by = to.by;
  auto set = switches_.set_upstream(upstream, std::move(to));
  if (!set) return set;
  log::Line(log::Level::info, fmt::format("upstream {}", name_of(mode)))
      .add("upstream", upstream)
      .add("by", by);
  upstreams_->rebuild();
  apply_();
  return ok();
}

Task<void> RunTimeService::set_tool(ToolSwitch tool, bool on) {
  tool.when_ms = now_ms();
  auto there = [this, &tool, on]() -> Task<void> {
    auto set = switches_.set_tool(tool, on);
    if (!set) co_return set;
    log::Line(log::Level::info, on ? "tool switched on" : "tool switched off")
        .add("upstream", tool.upstream)
        .add("tool", tool.tool)
        .add("by", tool.by);
    upstreams_->rebuild();
    co_return ok();
  };
  co_return co_await hop<void>(control_, there);
}

Task<std::vector<ChangedTool>> RunTimeService::changed_tools() {
  auto there = [this]() -> Task<std::vector<ChangedTool>> {
    std::vector<ChangedTool> changed;
    const bool blocks = pins_.pins().mode() == policy::PinMode::block;
    for (auto& [key, pin] : pins_.pins().changes()) {
      changed.push_back({key.first, key.second, pin.definition, pin.changed,
                         policy::sha256(pin.changed), pin.changed != policy::kAmbiguousDefinition,
                         blocks, pin.first_seen, pin.changed_at});
    }
    co_return changed;
  };
  co_return co_await hop<std::vector<ChangedTool>>(control_, there);
}

Task<frontends::HiddenItems> RunTimeService::hidden_items(frontends::HiddenQuery query) {
  auto there = [this, &query]() -> Task<frontends::HiddenItems> {
    co_return upstreams_->hidden(query);
  };
  co_return co_await hop<frontends::HiddenItems>(control_, there);
}

Task<void> RunTimeService::accept_tool(std::string upstream, std::string tool, std::string digest) {
  auto there = [this, &upstream, &tool, &digest]() -> Task<void> {
    co_return accept_here(upstream, tool, digest);
  };
  co_return co_await hop<void>(control_, there);
}

Result<void> RunTimeService::accept_here(const std::string& upstream, const std::string& tool,
                                         const std::string& digest) {
  auto accepted = pins_.pins().accept({upstream, tool}, digest);
  if (accepted) upstreams_->check_pins();
  return accepted;
}

}  // namespace patchbay::app
