// The notifications of a server, by method.
#include <algorithm>
#include <array>

#include "json/read.h"
#include "mcp/compose.h"
#include "mcp/tasks.h"
#include "mcp_client/link.h"
#include "observe/log.h"

namespace patchbay::upstreams {
namespace {

constexpr std::string_view kProgress = "notifications/progress";
constexpr std::size_t kMostWaitingProgress = 16 << 10;  // Bytes for one call.

}  // namespace

struct McpLink::Notification {
  std::string_view method;
  void (McpLink::*handle)(const mcp::Message& message, std::uint64_t cause);
};

void McpLink::on_notification(const mcp::Message& message, std::uint64_t cause) {
  static constexpr std::array kNotifications{
      Notification{"notifications/resources/updated", &McpLink::on_resource_updated},
      Notification{"notifications/message", &McpLink::on_log},
      Notification{kProgress, &McpLink::on_progress},
      Notification{"notifications/tasks/status", &McpLink::on_task_status},
      Notification{"notifications/tasks", &McpLink::on_task_status},
      Notification{"notifications/subscriptions/acknowledged", &McpLink::on_subscribed},
  };
  if (std::ranges::find(mcp::kItems, message.method, &mcp::ItemInfo::changed) !=
      mcp::kItems.end()) {
    events_.on_items_changed();
    return;
  }
  const auto found = std::ranges::find(kNotifications, message.method, &Notification::method);
  if (found == kNotifications.end() || found->handle != &McpLink::on_progress) {
    if (is_too_many()) return;
  }
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

// A server that sends too much of it still works: the clock of the call begins anew, and of what is
// too much the newest is sent later.
void McpLink::on_progress(const mcp::Message& message, std::uint64_t) {
  const bool too_many = is_too_many();
  const auto* const token = message.param("progressToken");
  Pending* const asked = token ? find_pending(token->raw) : nullptr;
  if (!asked || !asked->call) return;
  asked->visible = true;
  asked->restart_clock();
  if (!too_many) return send_progress(*asked, message.raw_params);
  if (message.raw_params.size() > kMostWaitingProgress) return;
  asked->waiting_progress = message.raw_params;
  if (!progress_timer_.set()) here().timers().set(progress_timer_, notifications_.next_second());
}

void McpLink::send_progress(Pending& asked, std::string_view params) {
  const gateway::Call& call = *asked.call;
  if (const auto* const theirs = call.request.meta_member("progressToken")) {
    gateway::notify(call, kProgress, with_listed_tasks(call, mcp::with_token(params, theirs->raw)));
  }
  asked.waiting_progress.clear();
}

void McpLink::send_waiting_progress(Pending& asked) {
  if (asked.waiting_progress.empty()) return;
  const std::string params = std::move(asked.waiting_progress);
  send_progress(asked, params);
}

// As many as this second allows; the others wait for the next one.
void McpLink::on_progress_due() {
  for (const auto& [id, pending] : pending_) {
    if (pending->waiting_progress.empty() || pending->answer.delivered()) continue;
    if (notifications_.evaluate(here().now()) != NotificationRate::Verdict::pass) {
      return here().timers().set(progress_timer_, notifications_.next_second());
    }
    send_waiting_progress(*pending);
  }
}

}  // namespace patchbay::upstreams
