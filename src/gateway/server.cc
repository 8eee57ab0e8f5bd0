#include "gateway/server.h"

#include <fmt/format.h>

#include "gateway/finalize.h"
#include "gateway/parked_calls.h"
#include "json/read.h"
#include "mcp/capabilities.h"
#include "mcp/compose.h"
#include "mcp/log_level.h"

namespace patchbay::gateway {
namespace {

std::string server_info(const Identity& identity) {
  const std::string title =
      identity.title.empty() ? "" : fmt::format("\"title\":{},", json::quote(identity.title));
  return fmt::format(R"({{"name":{},{}"version":{}}})", json::quote(identity.name), title,
                     json::quote(identity.version));
}

std::string discover_result(std::string_view capabilities) {
  std::string versions;
  for (const auto& revision : mcp::kRevisions) {
    if (revision.stateless)
      versions += fmt::format("{}\"{}\"", versions.empty() ? "" : ",", revision.name);
  }
  return fmt::format(R"({{"supportedVersions":[{}],"capabilities":{}}})", versions, capabilities);
}

// True for what a server is asked that has fixed tools and nothing else.
bool is_about_fixed_tools(const mcp::Method& method) {
  const bool answered_here =
      method.local != mcp::Local::set_level && method.local != mcp::Local::listen;
  return answered_here && method.item == mcp::ItemKind::tool;
}

}  // namespace

McpServer::McpServer(Pipeline& pipeline, const Times& times) : pipeline_(pipeline), times_(times) {
  set_identity({});
}

void McpServer::set_identity(Identity identity) {
  identity_ = std::move(identity);
  info_ = server_info(identity_);
}

std::string McpServer::capabilities(mcp::Revision revision) const {
  if (!identity_.capabilities.empty()) return identity_.capabilities;
  return mcp::server_capabilities(revision, true);
}

Result<const mcp::Method*> McpServer::method_of(const mcp::Message& request, mcp::Revision revision,
                                                const Principal& caller) const {
  const auto* const method = mcp::find_method(request.method, revision);
  const bool offered = method && (!identity_.only_fixed_tools || is_about_fixed_tools(*method));
  if (offered && pipeline_.may_use(*method, caller)) return method;
  return unknown_method(request.method);
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
                     mcp::info(revision).name, capabilities(revision),
                     mcp::implementation_for(revision, info_));
}

Task<mcp::Reply> McpServer::answer(Call& call) {
  call.timeout = times_.question;
  if (call.method.action == mcp::Action::task_result) call.deadline = here().now() + times_.task;
  const bool may_ask = asking_ && asking_->may_ask(call);
  const bool goes_on = may_ask && call.request.param("requestState");
  const bool asks = goes_on || (may_ask && pipeline_.can_ask(call));
  return asks ? asking_->answer(call) : answer_at_once(call);
}

Task<mcp::Reply> McpServer::answer_at_once(Call& call) {
  call.server_info = info_;
  const bool routed =
      call.method.local == mcp::Local::none && call.method.reach != mcp::Reach::dropped;
  return routed ? pipeline_.handle(call) : answer_alone(call);
}

Task<mcp::Reply> McpServer::answer_alone(const Call& call) const {
  auto allowed =
      call.method.local == mcp::Local::initialize ? may_initialize(*call.caller, call.from) : ok();
  auto reply = allowed ? answer_here(call) : mcp::error_reply(allowed.error());
  finalize(call, reply);
  co_return reply;
}

// What concerns nobody but the server itself.
mcp::Reply McpServer::answer_here(const Call& call) const {
  switch (call.method.local) {
    case mcp::Local::ping:
      return mcp::result_reply("{}");
    case mcp::Local::discover:
      return mcp::result_reply(discover_result(capabilities(mcp::kNewest)));
    case mcp::Local::initialize:
      return mcp::result_reply(initialize_result(call.revision));
    case mcp::Local::set_level: {
      // The level itself is the front end's to remember.
      auto level = asked_level(call.request);
      return level ? mcp::result_reply("{}") : mcp::error_reply(level.error());
    }
    case mcp::Local::listen:
      // Front ends with a stream to listen on answer it themselves.
      return mcp::error_reply({Code::invalid_request, "there is no stream to listen on"});
    case mcp::Local::cancelled:
    case mcp::Local::none:
      break;
  }
  return mcp::error_reply(
      {Code::invalid_request, fmt::format("'{}' is a notification", call.request.method)});
}

std::string client_capabilities(const mcp::Message& initialize) {
  const auto* const given = initialize.param("capabilities");
  return given && given->raw.starts_with('{') ? std::string(given->raw) : "{}";
}

std::string_view declared_capabilities(const mcp::Message& request) {
  const auto* const given = request.meta_member(mcp::kMetaCapabilities);
  return given && given->raw.starts_with('{') ? given->raw : "{}";
}

Error cannot_be_asked(const Call& call, std::string_view method) {
  if (const auto* const known = mcp::find_client_method(method)) call.missing = known->capability;
  return {Code::method_not_found, fmt::format("the client cannot be asked {}", method)};
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
                   std::optional<int> session_level) {
  const auto level_of = [](const std::optional<std::string>& name) {
    return name ? mcp::log_level(*name) : std::nullopt;
  };
  // A client that has never said what it wants gets everything.
  std::optional<int> least = session_level.value_or(0);
  if (mcp::info(revision).stateless) {
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
