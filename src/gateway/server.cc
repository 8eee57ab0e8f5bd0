#include "gateway/server.h"

#include <fmt/format.h>

#include "gateway/finalize.h"
#include "gateway/instructions.h"
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

std::string stateless_versions() {
  std::string versions;
  for (const auto& revision : mcp::kRevisions) {
    if (revision.stateless)
      versions += fmt::format("{}\"{}\"", versions.empty() ? "" : ",", revision.name);
  }
  return versions;
}

// True for a request to a server that has fixed tools and nothing else.
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
  auto usable = check_method(request, method, caller);
  if (!usable) return usable.error();
  return method;
}

Result<void> McpServer::check_method(const mcp::Message& request, const mcp::Method* method,
                                     const Principal& caller) const {
  const bool offered = method && (!identity_.only_fixed_tools || is_about_fixed_tools(*method));
  if (offered && pipeline_.may_use(*method, caller)) return ok();
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

Task<std::string> McpServer::initialize_result(mcp::Revision revision, Caller caller) const {
  auto instructions = co_await instructions_for(std::move(caller));
  if (!instructions) co_return instructions.error();
  co_return fmt::format(R"({{"protocolVersion":"{}","capabilities":{},"serverInfo":{}{}}})",
                        mcp::info(revision).name, capabilities(revision),
                        mcp::implementation_for(revision, info_), *instructions);
}

Task<std::string> McpServer::discover_result(Caller caller) const {
  auto instructions = co_await instructions_for(std::move(caller));
  if (!instructions) co_return instructions.error();
  co_return fmt::format(R"({{"supportedVersions":[{}],"capabilities":{}{}}})", stateless_versions(),
                        capabilities(mcp::kNewest), *instructions);
}

// The instructions of the upstreams that the caller has access to.
Task<std::string> McpServer::instructions_for(Caller caller) const {
  if (identity_.only_fixed_tools || instructions_.most == 0) co_return std::string();
  auto catalog = co_await pipeline_.wait_for_catalog(*caller, here().now() + instructions_.wait);
  if (!catalog) co_return catalog.error();
  std::vector<UpstreamInstructions> others;
  for (const auto& upstream : (*catalog)->upstreams()) {
    others.push_back({std::string(upstream->name()), upstream->instructions()});
  }
  const std::string text =
      merge_instructions(instructions_.own, std::move(others), instructions_.most);
  if (text.empty()) co_return std::string();
  co_return ",\"instructions\":" + json::quote(text);
}

Task<mcp::Reply> McpServer::answer(Call& call) {
  call.timeout = times_.question;
  if (call.method.action == mcp::Action::task_result) {
    call.deadline = here().now() + times_.task;
    call.clock = {times_.task, "limits.task_timeout", false, times_.task, call.deadline};
  } else {
    // The call may have begun earlier, as a part of another task.
    const Deadline latest = call.deadline - times_.call + times_.total;
    call.clock = {times_.call, "limits.call_timeout", false, times_.total, latest};
  }
  const bool may_ask = asking_ && asking_->may_ask(call);
  const bool goes_on = may_ask && call.request.param("requestState");
  const bool asks = goes_on || (may_ask && pipeline_.can_ask(call));
  if (!asks) return answer_at_once(call);
  call.server_info = info_;
  return asking_->answer(call);
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
  mcp::Reply reply;
  if (!allowed) {
    reply = mcp::error_reply(allowed.error());
  } else if (call.method.local == mcp::Local::initialize ||
             call.method.local == mcp::Local::discover) {
    auto stating = call.method.local == mcp::Local::initialize
                       ? initialize_result(call.revision, call.caller)
                       : discover_result(call.caller);
    auto result = co_await stating;
    reply = result ? mcp::result_reply(*std::move(result)) : mcp::error_reply(result.error());
  } else {
    reply = answer_here(call);
  }
  finalize(call, reply);
  co_return reply;
}

// Methods that the server answers without an upstream.
mcp::Reply McpServer::answer_here(const Call& call) const {
  switch (call.method.local) {
    case mcp::Local::ping:
      return mcp::result_reply("{}");
    case mcp::Local::set_level: {
      // The frontend stores the level itself.
      auto level = asked_level(call.request);
      return level ? mcp::result_reply("{}") : mcp::error_reply(level.error());
    }
    case mcp::Local::listen:
      // Frontends with a stream to listen on answer it themselves.
      return mcp::error_reply({Code::invalid_request, "there is no stream to listen on"});
    case mcp::Local::initialize:
    case mcp::Local::discover:
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
  // A client that has never set a level gets everything.
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
