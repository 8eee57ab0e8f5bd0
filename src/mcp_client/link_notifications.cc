// The notifications of a server, by the method of each.
#include <algorithm>
#include <array>

#include "json/read.h"
#include "mcp/compose.h"
#include "mcp/tasks.h"
#include "mcp_client/link.h"
#include "observe/log.h"

namespace patchbay::upstreams {

struct McpLink::Notification {
  std::string_view method;
  void (McpLink::*handle)(const mcp::Message& message, std::uint64_t cause);
};

void McpLink::on_notification(const mcp::Message& message, std::uint64_t cause) {
  static constexpr std::array kNotifications{
      Notification{"notifications/resources/updated", &McpLink::on_resource_updated},
      Notification{"notifications/message", &McpLink::on_log},
      Notification{"notifications/progress", &McpLink::on_progress},
      Notification{"notifications/tasks/status", &McpLink::on_task_status},
      Notification{"notifications/tasks", &McpLink::on_task_status},
      Notification{"notifications/subscriptions/acknowledged", &McpLink::on_subscribed},
  };
  if (std::ranges::find(mcp::kItems, message.method, &mcp::ItemInfo::changed) !=
      mcp::kItems.end()) {
    events_.on_items_changed();
    return;
  }
  if (is_too_many()) return;
  const auto found = std::ranges::find(kNotifications, message.method, &Notification::method);
  if (found != kNotifications.end()) (this->*found->handle)(message, cause);
}

void McpLink::on_resource_updated(const mcp::Message& message, std::uint64_t) {
  const auto* const uri = message.param("uri");
  if (auto text = uri ? json::as_string(uri->raw) : std::nullopt) events_.on_updated(*text);
}

void McpLink::on_log(const mcp::Message& message, std::uint64_t cause) {
  Pending* const running = call_of(cause, mcp::related_task(message.raw_params));
  if (!running) return;
  const gateway::Call& call = *running->call;
  running->visible = true;
  gateway::notify(call, message.method, with_listed_tasks(call, message.raw_params));
}

void McpLink::on_task_status(const mcp::Message& message, std::uint64_t) {
  tasks_.on_status(message);
}

void McpLink::on_subscribed(const mcp::Message& message, std::uint64_t) {
  const auto* const id = message.meta_member(mcp::kMetaSubscription);
  if (const auto ours = id ? our_id(id->raw) : std::nullopt) update_.on_agreed(*ours);
}

bool McpLink::is_too_many() {
  const auto verdict = notifications_.evaluate(here().now());
  if (verdict == NotificationRate::Verdict::pass) return false;
  counters_.too_many->add();
  if (verdict == NotificationRate::Verdict::drop_and_log) {
    log::Line(log::Level::warn, "notifications dropped")
        .add("upstream", counters_.upstream)
        .add("dropped", notifications_.take_dropped())
        .add("hint", "it sends more than max_notifications per second");
  }
  return true;
}

void McpLink::on_progress(const mcp::Message& message, std::uint64_t) {
  const auto* const token = message.param("progressToken");
  Pending* const asked = token ? find_pending(token->raw) : nullptr;
  if (!asked || !asked->call) return;
  const gateway::Call& call = *asked->call;
  asked->visible = true;
  asked->restart_clock();
  if (const auto* const theirs = call.request.meta_member("progressToken")) {
    gateway::notify(call, message.method,
                    with_listed_tasks(call, mcp::with_token(message.raw_params, theirs->raw)));
  }
}

}  // namespace patchbay::upstreams
