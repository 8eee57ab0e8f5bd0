// tools and call: the commands that use the tools of an MCP server.
#include <fmt/format.h>

#include "cli/client_run.h"
#include "cli/save_content.h"
#include "cli/terminal.h"
#include "config/read_value.h"
#include "json/read.h"
#include "mcp/typed_arguments.h"

namespace patchbay::app {
namespace {

using Tool = mcp::Item;

// Prints a result for a person; returns the exit code.
Result<int> print_result(const std::string& result, const ClientOptions& options) {
  const auto [failed, text] = mcp::text_of_result(result);
  const bool saves = !options.output.empty() && !failed;
  if (saves) {
    auto saved = save_content(content_of(result), options.output);
    if (!saved) return saved.error();
  }
  if (options.json) {
    print_raw(result + "\n");
  } else if (!text.empty() && !saves) {
    print_text(failed ? stderr : stdout, text);
  }
  return failed ? kExitToolError : kExitOk;
}

int unknown_tool(const std::vector<Tool>& tools, const std::string& name) {
  std::string meanings;
  for (const auto& tool : tools) {
    if (tool.key.ends_with("__" + name)) meanings += (meanings.empty() ? "" : ", ") + tool.key;
  }
  if (meanings.empty()) {
    std::vector<std::string_view> names;
    for (const auto& tool : tools) names.emplace_back(tool.key);
    const auto meant = config::closest(name, names);
    complain("patchbay: there is no tool '{}'; {}\n", name,
             meant.empty() ? "see patchbay tools" : fmt::format("did you mean \"{}\"?", meant));
  } else {
    complain("patchbay: '{}' is ambiguous: {}\n", name, meanings);
  }
  return kExitUnknown;
}

Task<int> call(Client& client, Deadline deadline, std::vector<std::string> args,
               const ClientOptions& options) {
  const std::string name = args.front();
  args.erase(args.begin());
  auto tools = co_await client.link().list(mcp::ItemKind::tool, deadline);
  if (!tools) co_return tools.error();
  const Tool* const tool = find_item(*tools, name);
  if (!tool) {
    co_return unknown_tool(*tools, name);
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
  co_return print_result(reply->body, options);
}

}  // namespace

int list_tools(const ClientOptions& options) {
  auto args = options.args;
  const std::string target = take_target(args);
  if (!args.empty()) return too_many_args(args);
  return run_client(target, options, [&](Client& client, Deadline deadline) -> Task<int> {
    auto tools = co_await client.link().list(mcp::ItemKind::tool, deadline);
    if (!tools) co_return tools.error();
    print_items(*tools, options.json, "tools");
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
    return call(client, deadline, args, options);
  });
}

}  // namespace patchbay::app
