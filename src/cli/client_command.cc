// tools and call: the commands that use the tools of an MCP server.
#include <fmt/format.h>

#include "cli/client_run.h"
#include "cli/terminal.h"
#include "json/read.h"
#include "mcp/typed_arguments.h"

namespace patchbay::app {
namespace {

using Tool = mcp::Item;

// Prints a result for a person; returns the exit code.
int print_result(const std::string& result, bool as_json) {
  const auto [failed, text] = mcp::text_of_result(result);
  if (as_json) {
    print_raw(result + "\n");
  } else if (!text.empty()) {
    print_text(failed ? stderr : stdout, text);
  }
  return failed ? kExitToolError : kExitOk;
}

Task<int> call(Client& client, Deadline deadline, std::vector<std::string> args, bool as_json) {
  const std::string name = args.front();
  args.erase(args.begin());
  auto tools = co_await client.link().list(mcp::ItemKind::tool, deadline);
  if (!tools) co_return tools.error();
  const Tool* const tool = find_item(*tools, name);
  if (!tool) {
    complain("patchbay: there is no tool '{}'; see patchbay tools\n", name);
    co_return kExitUnknown;
  }
  auto arguments = arguments_of(args, [tool](const std::string& key, const std::string& value) {
    return mcp::typed_value(tool->definition, key, value);
  });
  if (!arguments) {
    complain("patchbay: {}\n", arguments.error().message);
    co_return kExitUsage;
  }
  const std::string params =
      fmt::format(R"({{"name":{},"arguments":{},"_meta":{{"progressToken":1}}}})",
                  json::quote(tool->key), *arguments);
  auto reply = co_await ask(client, "tools/call", params, tool->key, deadline);
  if (!reply) co_return reply.error();
  if (reply->is_error) co_return error_of(*reply);
  co_return print_result(reply->body, as_json);
}

}  // namespace

int list_tools(const ClientOptions& options) {
  auto args = options.args;
  const std::string target = take_target(args);
  if (!args.empty()) return too_many_args(args);
  return run_client(target, options, [&](Client& client, Deadline deadline) -> Task<int> {
    auto tools = co_await client.link().list(mcp::ItemKind::tool, deadline);
    if (!tools) co_return tools.error();
    print_items(*tools, options.json);
    co_return kExitOk;
  });
}

int call_tool(const ClientOptions& options) {
  auto args = options.args;
  const std::string target = take_target(args);
  if (args.empty()) {
    complain("patchbay: which tool? patchbay call [TARGET] NAME [key=value… | JSON]\n");
    return kExitUsage;
  }
  return run_client(target, options, [&](Client& client, Deadline deadline) {
    return call(client, deadline, args, options.json);
  });
}

}  // namespace patchbay::app
