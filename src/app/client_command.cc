// tools and call: the commands that use the tools of an MCP server.
#include <fmt/format.h>

#include "app/client_run.h"
#include "json/read.h"

namespace patchbay::app {
namespace {

using Tool = mcp::Item;

// Prints what a person wants to see of a result; returns the exit code.
int print_result(const std::string& result, bool as_json) {
  const bool is_error = json::member(result, "isError").value_or("false") == "true";
  if (as_json) {
    fmt::print("{}\n", result);
    return is_error ? kExitToolError : kExitOk;
  }
  std::FILE* const out = is_error ? stderr : stdout;
  json::each_element(json::member(result, "content").value_or("[]"),
                     [out](std::string_view content) { print_content(out, content); });
  return is_error ? kExitToolError : kExitOk;
}

// A value typed as key=value: what the schema says, else JSON if it is, else text.
std::string typed_value(const Tool& tool, const std::string& key, const std::string& value) {
  const auto schema = json::member(tool.definition, "inputSchema");
  const auto properties = schema ? json::member(*schema, "properties") : std::nullopt;
  const auto property = properties ? json::member(*properties, key) : std::nullopt;
  const auto type = property ? json::string_member(*property, "type") : std::nullopt;
  if (type == "string" || !json::check(value)) return json::quote(value);
  return value;
}

Task<int> call(Client& client, Deadline deadline, std::vector<std::string> words, bool as_json) {
  const std::string name = words.front();
  words.erase(words.begin());
  auto tools = co_await client.link().list(mcp::ItemKind::tool, deadline);
  if (!tools) co_return tools.error();
  const Tool* const tool = find_item(*tools, name);
  if (!tool) {
    fmt::print(stderr, "patchbay: there is no tool '{}'; see patchbay tools\n", name);
    co_return kExitUnknown;
  }
  auto arguments = arguments_of(words, [tool](const std::string& key, const std::string& value) {
    return typed_value(*tool, key, value);
  });
  if (!arguments) {
    fmt::print(stderr, "patchbay: {}\n", arguments.error().message);
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
  auto words = options.words;
  const std::string target = take_target(words);
  if (!words.empty()) return too_many_words(words);
  return run_client(target, options.seconds, [&](Client& client, Deadline deadline) -> Task<int> {
    auto tools = co_await client.link().list(mcp::ItemKind::tool, deadline);
    if (!tools) co_return tools.error();
    print_items(*tools, options.json);
    co_return kExitOk;
  });
}

int call_tool(const ClientOptions& options) {
  auto words = options.words;
  const std::string target = take_target(words);
  if (words.empty()) {
    fmt::print(stderr, "patchbay: which tool? patchbay call [TARGET] NAME [key=value… | JSON]\n");
    return kExitUsage;
  }
  return run_client(target, options.seconds, [&](Client& client, Deadline deadline) {
    return call(client, deadline, words, options.json);
  });
}

}  // namespace patchbay::app
