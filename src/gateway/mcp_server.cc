#include "gateway/mcp_server.h"

#include <fmt/format.h>

#include "json/read.h"
#include "mcp/compose.h"
#include "mcp/log_level.h"

namespace patchbay::gateway {
namespace {

// Lists follow the upstreams: a client may keep one no longer than it likes to be wrong, and not
// for others.
constexpr std::string_view kCacheHints = R"("ttlMs":0,"cacheScope":"private")";

std::string server_info(const Identity& identity) {
  const std::string title =
      identity.title.empty() ? "" : fmt::format("\"title\":{},", json::quote(identity.title));
  return fmt::format(R"({{"name":{},{}"version":{}}})", json::quote(identity.name), title,
                     json::quote(identity.version));
}

std::string discover_result(const Identity& identity) {
  std::string versions;
  for (const auto& revision : mcp::kRevisions) {
    if (revision.modern)
      versions += fmt::format("{}\"{}\"", versions.empty() ? "" : ",", revision.name);
  }
  return fmt::format(R"({{"supportedVersions":[{}],"capabilities":{}}})", versions,
                     identity.capabilities);
}

// True for what a server is asked that has fixed tools and nothing else.
bool is_about_fixed_tools(const mcp::Method& method) {
  const bool answered_here =
      method.local != mcp::Local::set_level && method.local != mcp::Local::listen;
  return answered_here && method.item == mcp::ItemKind::tool;
}

}  // namespace

Result<const mcp::Method*> McpServer::method_of(const mcp::Message& request,
                                                mcp::Revision revision) const {
  const auto* const method = mcp::find_method(request.method, revision);
  if (method && (!identity_.only_fixed_tools || is_about_fixed_tools(*method))) return method;
  return Error{Code::method_not_found, fmt::format("Method not found: {}", request.method)};
}

Result<mcp::Revision> McpServer::negotiate(const mcp::Message& initialize) const {
  const auto* const asked = initialize.param("protocolVersion");
  if (!asked && identity_.if_unnamed) return *identity_.if_unnamed;
  const auto version = asked ? json::as_string(asked->raw) : std::nullopt;
  if (!version) {
    return Error{Code::invalid_params, "'protocolVersion' must be given as a string"};
  }
  return mcp::negotiate(*version);
}

std::string McpServer::initialize_result(mcp::Revision revision) const {
  return fmt::format(R"({{"protocolVersion":"{}","capabilities":{},"serverInfo":{}}})",
                     mcp::info(revision).name, identity_.capabilities, server_info(identity_));
}

Task<mcp::Reply> McpServer::answer(Call& call) {
  call.patience = question_time_;
  mcp::Reply reply;
  switch (call.method.local) {
    case mcp::Local::ping:
      reply = mcp::result_reply("{}");
      break;
    case mcp::Local::discover:
      reply = mcp::result_reply(discover_result(identity_));
      break;
    case mcp::Local::initialize:
      reply = mcp::result_reply(initialize_result(call.revision));
      break;
    case mcp::Local::set_level: {
      // The level itself is the front end's to remember.
      auto level = asked_level(call.request);
      reply = level ? mcp::result_reply("{}") : mcp::error_reply(level.error());
      break;
    }
    case mcp::Local::listen:
      // Front ends with a stream to listen on answer it themselves.
      reply = mcp::error_reply({Code::invalid_request, "there is no stream to listen on"});
      break;
    case mcp::Local::cancelled:
    case mcp::Local::none: {
      if (call.method.reach == mcp::Reach::dropped || call.method.local != mcp::Local::none) {
        reply = mcp::error_reply(
            {Code::invalid_request, fmt::format("'{}' is a notification", call.request.method)});
        break;
      }
      auto answered = co_await pipeline_.handle(call);
      reply = answered ? *std::move(answered) : mcp::error_reply(answered.error());
      break;
    }
  }
  if (mcp::info(call.revision).modern && reply.is_error) {
    if (call.method.item == mcp::ItemKind::resource) mcp::make_modern_error(reply, call.target);
  } else if (mcp::info(call.revision).modern) {
    const bool hinted = call.method.reach == mcp::Reach::catalog ||
                        call.method.local == mcp::Local::discover ||
                        call.request.method == "resources/read";
    if (hinted) mcp::add_to_result(reply, kCacheHints);
    mcp::make_modern(reply, server_info(identity_));
  }
  co_return reply;
}

std::string client_capabilities(const mcp::Message& initialize) {
  const auto* const given = initialize.param("capabilities");
  return given && given->raw.starts_with('{') ? std::string(given->raw) : "{}";
}

Result<void> can_be_asked(std::string_view method, std::string_view capabilities,
                          mcp::Revision revision) {
  const auto* const known = mcp::find_client_method(method);
  if (known && revision >= known->since && json::member(capabilities, known->capability)) {
    return ok();
  }
  return Error{Code::method_not_found, fmt::format("the client does not offer {}", method)};
}

Result<int> asked_level(const mcp::Message& request) {
  const auto* const given = request.param("level");
  const auto name = given ? json::as_string(given->raw) : std::nullopt;
  const auto level = name ? mcp::log_level(*name) : std::nullopt;
  if (level) return *level;
  return Error{Code::invalid_params,
               "'level' must be one of debug, info, notice, warning, error, "
               "critical, alert, emergency"};
}

bool is_wanted_log(std::string_view params, const mcp::Message& request, mcp::Revision revision,
                   int session_level) {
  const auto level_of = [](const std::optional<std::string>& name) {
    return name ? mcp::log_level(*name) : std::nullopt;
  };
  std::optional<int> least = session_level;
  if (mcp::info(revision).modern) {
    const auto* const asked = request.meta_member(mcp::kMetaLogLevel);
    least = asked ? level_of(json::as_string(asked->raw)) : std::nullopt;
  }
  const auto level = level_of(json::string_member(params, "level"));
  return level && least && *level >= *least;
}

std::string_view cancelled_id(const mcp::Message& notification) {
  const auto* const id = notification.param("requestId");
  return id ? id->raw : std::string_view();
}

}  // namespace patchbay::gateway
