#include "frontends/listening.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "json/read.h"
#include "mcp/compose.h"
#include "mcp/items.h"

namespace patchbay::frontends {
namespace {

constexpr std::size_t kMostResources = 1000;  // Of one request.

struct Flag {
  std::string_view name;
  mcp::ItemKind kind;
};
constexpr std::array kFlags{
    Flag{"toolsListChanged", mcp::ItemKind::tool},
    Flag{"promptsListChanged", mcp::ItemKind::prompt},
    Flag{"resourcesListChanged", mcp::ItemKind::resource},
};

Error wrong(std::string message) { return {Code::invalid_params, std::move(message)}; }

}  // namespace

Result<Listening::Wish> Listening::wish_of(const mcp::Message& request) {
  const auto* const given = request.param("notifications");
  if (!given || json::type_of(given->raw) != json::Type::object) {
    return wrong("'notifications' must be an object that says what to listen for");
  }
  Wish wish;
  for (const auto& flag : kFlags) {
    const auto raw = json::member(given->raw, flag.name);
    if (!raw) continue;
    const auto wanted = json::as_bool(*raw);
    if (!wanted) return wrong(fmt::format("'{}' must be true or false", flag.name));
    if (*wanted) wish.notifications.push_back(mcp::info(flag.kind).changed);
  }
  bool good = true;
  if (const auto uris = json::member(given->raw, "resourceSubscriptions")) {
    good = json::type_of(*uris) == json::Type::array;
    json::each_element(*uris, [&](std::string_view raw) {
      auto uri = json::as_string(raw);
      good = good && uri && wish.resources.size() < kMostResources;
      if (good) wish.resources.push_back(*std::move(uri));
    });
  }
  if (good) return wish;
  return wrong(
      fmt::format("'resourceSubscriptions' must be a list of at most {} URIs", kMostResources));
}

std::string Listening::meta() const {
  return fmt::format("\"_meta\":{{\"{}\":{}}}", mcp::kMetaSubscription, id_);
}

Task<void> Listening::begin(Wish wish) {
  notifications_ = std::move(wish.notifications);
  std::string honoured;
  const auto honour = [&](std::string_view name, std::string_view raw) {
    if (!honoured.empty()) honoured += ',';
    honoured += fmt::format("\"{}\":{}", name, raw);
  };
  for (const auto& flag : kFlags) {
    if (std::ranges::find(notifications_, mcp::info(flag.kind).changed) != notifications_.end()) {
      honour(flag.name, "true");
    }
  }
  std::string uris;
  for (const auto& uri : wish.resources) {
    auto subscribed = co_await subscribe(server_, face_, "resources/subscribe", uri);
    if (!subscribed || subscribed->is_error) continue;
    subscriber_.add(uri);
    uris += (uris.empty() ? "" : ",") + json::quote(uri);
  }
  if (!wish.resources.empty()) honour("resourceSubscriptions", "[" + uris + "]");
  say_(mcp::notification("notifications/subscriptions/acknowledged",
                         fmt::format("{{\"notifications\":{{{}}},{}}}", honoured, meta())));
  begun_ = true;
  co_return ok();
}

void Listening::tell_changed(std::string_view notification) {
  if (!begun_ || std::ranges::find(notifications_, notification) == notifications_.end()) return;
  say_(mcp::notification(notification, "{" + meta() + "}"));
}

void Listening::tell_updated(std::string_view uri) {
  if (!begun_ || !subscriber_.wants(uri)) return;
  say_(mcp::notification("notifications/resources/updated",
                         fmt::format("{{\"uri\":{},{}}}", json::quote(uri), meta())));
}

mcp::Reply Listening::last_result() const {
  return mcp::result_reply(fmt::format("{{\"resultType\":\"complete\",{}}}", meta()));
}

}  // namespace patchbay::frontends
