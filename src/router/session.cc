#include "router/session.h"

#include <fmt/format.h>

#include <array>

#include "json/read.h"
#include "mcp/methods.h"

namespace patchbay::app {
namespace {

constexpr std::array<std::string_view, 3> kLists{"tools", "resources", "prompts"};

}  // namespace

void RouterSession::note(std::string_view method, std::string_view params,
                         std::string_view result) {
  const auto* const row = mcp::find_row(method);
  if (!row) return;
  if (row->local == mcp::Local::initialize) {
    *this = RouterSession();
    initialize_ = params;
    result_ = result;
  } else if (row->local == mcp::Local::set_level) {
    level_ = params;
  } else if (row->action == mcp::Action::subscribe) {
    if (const auto uri = json::member(params, "uri")) subscribed_.emplace(*uri);
  } else if (row->action == mcp::Action::unsubscribe) {
    if (const auto uri = json::member(params, "uri")) subscribed_.erase(std::string(*uri));
  }
}

std::vector<std::pair<std::string, std::string>> RouterSession::repeated(bool primary) const {
  std::vector<std::pair<std::string, std::string>> list;
  if (!level_.empty()) list.emplace_back("logging/setLevel", level_);
  if (!primary) return list;
  for (const auto& uri : subscribed_) {
    list.emplace_back("resources/subscribe", fmt::format(R"({{"uri":{}}})", uri));
  }
  return list;
}

std::vector<std::string> RouterSession::list_changes() const {
  std::vector<std::string> notifications;
  const auto capabilities = json::member(result_, "capabilities");
  if (!capabilities) return notifications;
  for (const auto list : kLists) {
    const auto offered = json::member(*capabilities, list);
    if (offered && json::member(*offered, "listChanged") == "true") {
      notifications.push_back(fmt::format("notifications/{}/list_changed", list));
    }
  }
  return notifications;
}

bool RouterSession::same_revision(std::string_view result) const {
  return json::member(result, "protocolVersion") == json::member(result_, "protocolVersion");
}

bool is_for_primary(std::string_view method) {
  const auto* const row = mcp::find_row(method);
  return row && (row->local == mcp::Local::initialize || row->local == mcp::Local::set_level ||
                 row->subscribes());
}

bool may_be_repeated(std::string_view method) {
  return mcp::only_reads(method) || is_for_primary(method);
}

bool is_for_all(std::string_view notification) {
  return notification.ends_with("/list_changed") ||
         notification == "notifications/resources/updated";
}

}  // namespace patchbay::app
