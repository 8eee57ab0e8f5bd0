#include "gateway/task_ids.h"

#include <fmt/format.h>

#include "mcp/tasks.h"

namespace patchbay::gateway {
namespace {

constexpr char kDot = '.';  // Between the mark, which has none, and the id.

}  // namespace

std::string TaskIds::mark(const policy::Principal& who, std::string_view upstream,
                          std::string_view id) const {
  // With the lengths in front, no two sets of parts read the same.
  return key_.mark(fmt::format("{} {} {} {} {}", who.name.size(), upstream.size(), who.name,
                               upstream, id));
}

std::string TaskIds::listed(const policy::Principal& who, std::string_view upstream,
                            std::string_view id) const {
  return mcp::listed_task(upstream, fmt::format("{}{}{}", mark(who, upstream, id), kDot, id));
}

std::optional<TaskIds::Place> TaskIds::find(const policy::Principal& who,
                                            std::string_view listed) const {
  const auto name = mcp::split_task(listed);
  const auto dot = name ? name->id.find(kDot) : std::string_view::npos;
  if (dot == std::string_view::npos) return std::nullopt;
  const std::string_view id = name->id.substr(dot + 1);
  if (name->id.substr(0, dot) != mark(who, name->upstream, id)) return std::nullopt;
  return Place{std::string(name->upstream), std::string(id)};
}

std::string listed_task(const Call& call, std::string_view id) {
  return call.tasks ? call.tasks->listed(call.who, call.upstream, id) : std::string(id);
}

}  // namespace patchbay::gateway
