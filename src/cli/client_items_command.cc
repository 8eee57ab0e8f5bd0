// resources, read and prompts: the commands that use what an MCP server offers besides tools.
#include <fmt/format.h>

#include "cli/client_run.h"
#include "cli/save_content.h"
#include "cli/terminal.h"
#include "json/read.h"
#include "mcp/shape.h"

namespace patchbay::app {
namespace {

using mcp::ItemKind;

Task<int> resources(Client& client, Deadline deadline, bool as_json) {
  auto all = co_await client.link().list(ItemKind::resource, deadline);
  if (!all) co_return all.error();
  auto templates = co_await client.link().list(ItemKind::resource_template, deadline);
  if (!templates) co_return templates.error();
  std::ranges::move(*templates, std::back_inserter(*all));
  print_items(*all, as_json, "resources");
  co_return kExitOk;
}

Task<int> read(Client& client, Deadline deadline, std::string uri, const ClientOptions& options) {
  const std::string params = fmt::format(R"({{"uri":{}}})", json::quote(uri));
  auto reply = co_await ask(client, "resources/read", params, uri, deadline);
  if (!reply) co_return reply.error();
  if (reply->is_error) {
    // Only the session-based revisions have an error code for this.
    if (reply->from) {
      mcp::shape_error(*reply, "resources/read", *reply->from, mcp::kNewestSessionBased, uri);
    }
    const Error error = error_of(*reply);
    const auto code = json::as_int(json::member(reply->body, "code").value_or("0"));
    if (code != info(Code::resource_not_found).rpc) co_return error;
    complain("patchbay: {}\n", error.message);
    co_return kExitUnknown;
  }
  if (!options.output.empty()) {
    auto saved = save_content(content_of(reply->body), options.output);
    if (!saved) co_return saved.error();
  }
  if (options.json) print_raw(reply->body + "\n");
  if (options.json || !options.output.empty()) co_return kExitOk;
  json::each_element(json::member(reply->body, "contents").value_or("[]"),
                     [](std::string_view content) { print_content(stdout, content); });
  co_return kExitOk;
}

void print_messages(const std::string& prompt) {
  json::each_element(json::member(prompt, "messages").value_or("[]"), [](std::string_view message) {
    print("{}: ", json::string_member(message, "role").value_or("?"));
    print_content(stdout, json::member(message, "content").value_or("{}"));
  });
}

Task<int> prompt(Client& client, Deadline deadline, std::vector<std::string> args, bool as_json) {
  auto prompts = co_await client.link().list(ItemKind::prompt, deadline);
  if (!prompts) co_return prompts.error();
  if (args.empty()) {
    print_items(*prompts, as_json, "prompts");
    co_return kExitOk;
  }
  const mcp::Item* const item = find_item(*prompts, args.front());
  if (!item) {
    complain("patchbay: there is no prompt '{}'; see patchbay prompts\n", args.front());
    co_return kExitUnknown;
  }
  args.erase(args.begin());
  // The arguments of a prompt are strings, all of them.
  const auto quoted = [](const std::string&, const std::string& value) {
    return json::quote(value);
  };
  auto arguments = arguments_of(args, quoted);
  if (!arguments) {
    complain("patchbay: {}\n", arguments.error().message);
    co_return kExitUsage;
  }
  const std::string params =
      fmt::format(R"({{"name":{},"arguments":{}}})", json::quote(item->key), *arguments);
  auto reply = co_await ask(client, "prompts/get", params, item->key, deadline);
  if (!reply) co_return reply.error();
  if (reply->is_error) co_return error_of(*reply);
  if (as_json) {
    print_raw(reply->body + "\n");
  } else {
    print_messages(reply->body);
  }
  co_return kExitOk;
}

}  // namespace

int list_resources(const ClientOptions& options) {
  auto args = options.args;
  const std::string target = take_target(args);
  if (!args.empty()) return too_many_args(args);
  return run_client(target, options, [&](Client& client, Deadline deadline) {
    return resources(client, deadline, options.json);
  });
}

int read_resource(const ClientOptions& options) {
  auto args = options.args;
  // A URI may look like a target: the last argument is never one.
  const std::string target = args.size() > 1 ? take_target(args) : default_target();
  if (args.size() != 1) {
    complain("patchbay: which resource? patchbay read [TARGET] URI\n");
    return kExitUsage;
  }
  return run_client(target, options, [&](Client& client, Deadline deadline) {
    return read(client, deadline, args.front(), options);
  });
}

int use_prompts(const ClientOptions& options) {
  auto args = options.args;
  const std::string target = take_target(args);
  return run_client(target, options, [&](Client& client, Deadline deadline) {
    return prompt(client, deadline, args, options.json);
  });
}

}  // namespace patchbay::app
