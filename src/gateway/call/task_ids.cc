#include "gateway/call/task_ids.h"

#include <fmt/format.h>

#include "mcp/tasks.h"

namespace patchbay::gateway {
namespace {

constexpr char kDot = '.';  // Separates the mark, which does not contain it, from the id.

// The text that a mark authenticates. Lengths in front make it unambiguous.
std::string marked_text(const Principal& caller, std::string_view upstream, std::string_view id) {
  return fmt::format("{} {} {} {} {}", caller.id.size(), upstream.size(), caller.id, upstream, id);
}

}  // namespace

std::string TaskIds::listed(const Principal& caller, std::string_view upstream,
                            std::string_view id) const {
  const std::string mark = keys_.mark(policy::Purpose::tasks, marked_text(caller, upstream, id));
  return mcp::listed_task(upstream, fmt::format("{}{}{}", mark, kDot, id));
}

std::optional<TaskIds::Location> TaskIds::find(const Principal& caller,
                                               std::string_view listed) const {
  const auto name = mcp::split_task(listed);
  const auto dot = name ? name->id.find(kDot) : std::string_view::npos;
  if (dot == std::string_view::npos) return std::nullopt;
  const std::string_view id = name->id.substr(dot + 1);
  const bool good = keys_.is_mark(policy::Purpose::tasks, name->id.substr(0, dot),
                                  marked_text(caller, name->upstream, id));
  if (!good) return std::nullopt;
  return Location{std::string(name->upstream), std::string(id)};
}

std::string listed_task(const Call& call, std::string_view id) {
  return call.tasks ? call.tasks->listed(*call.caller, call.upstream, id) : std::string(id);
}

}  // namespace patchbay::gateway
