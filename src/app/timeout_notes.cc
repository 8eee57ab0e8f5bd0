#include "app/timeout_notes.h"

#include <fmt/format.h>

#include <algorithm>

namespace patchbay::app {
namespace {

const config::Node* child(const config::Node* node, std::string_view key) {
  return node ? node->find(key) : nullptr;
}

}  // namespace

void note_timeouts(const UpstreamEntry& entry, const LimitSettings& limits, const std::string& file,
                   config::Faults& warnings) {
  const config::Duration most = std::max(limits.call, limits.call_total);
  const auto look = [&](const config::Node* node, const std::string& path, std::string_view unit) {
    const auto time = config::parse_duration(node ? node->text + std::string(unit) : "");
    if (!time || *time <= most) return;
    warnings.push_back({file, node->line, entry.path + "." + path,
                        fmt::format("calls end after limits.max_call_timeout, which is {}; raise "
                                    "it for this to take effect",
                                    config::print(most))});
  };
  const config::Node* const own = &entry.node;
  look(child(own, "timeout"), "timeout", "");
  look(child(own, "response_timeout_ms"), "response_timeout_ms", "ms");
  look(child(child(own, "limits"), "max_timeout"), "limits.max_timeout", "");
  const config::Node* const tools = child(child(own, "tools"), "timeout");
  if (!tools) return;
  for (const auto& tool : tools->members) {
    look(&tool.value, config::member_path("tools.timeout", tool.key), "");
  }
}

void note_timeouts(const config::Node& root, const LimitSettings& limits, const std::string& file,
                   config::Faults& warnings) {
  const config::Node* const given = child(child(&root, "limits"), "max_call_timeout");
  if (!given || limits.call_total >= limits.call) return;
  warnings.push_back({file, given->line, "limits.max_call_timeout",
                      fmt::format("is shorter than limits.call_timeout, which is {} and applies",
                                  config::print(limits.call))});
}

}  // namespace patchbay::app
