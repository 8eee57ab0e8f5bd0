// tools and call: the commands that talk to an MCP server.
#include <fmt/format.h>

#include <cstdio>
#include <optional>

#include "app/client.h"
#include "app/commands.h"
#include "json/read.h"
#include "mcp/typed_arguments.h"
#include "net/signals.h"

namespace patchbay::app {
namespace {

using Tool = mcp::Item;

// Shows progress to the person who waits.
class Terminal final : public gateway::Peer {
 public:
  void notify(std::string_view method, std::string_view params) override {
    if (method != "notifications/progress") return;
    const auto progress = json::member(params, "progress").value_or("?");
    const auto total = json::member(params, "total");
    fmt::print(stderr, "progress {}{}{} {}\n", progress, total ? "/" : "", total.value_or(""),
               json::string_member(params, "message").value_or(""));
  }

  void ask(std::string_view, std::string_view, gateway::Answer answer) override {
    answer(mcp::error_reply({Code::method_not_found, "this client cannot be asked"}));
  }
};

int failed(const Error& error) {
  fmt::print(stderr, "patchbay: {}\n", error.message);
  return kExitFailed;
}

// Runs `work` on a loop of its own until it is done.
int run_client(const std::string& target, double seconds,
               const std::function<Task<int>(Client&, Deadline)>& work) {
  net::block_signals();
  net::Loop loop;
  int code = kExitFailed;
  auto main = [&]() -> Task<void> {
    const Deadline deadline =
        here().now() + std::chrono::milliseconds(static_cast<std::int64_t>(seconds * 1000));
    Client client(target);
    net::Signals signals([](int) { std::_Exit(kExitFailed); });
    auto opened = co_await client.open(deadline);
    if (opened) {
      auto worked = co_await work(client, deadline);
      code = worked ? *worked : failed(worked.error());
    } else {
      code = failed({opened.error().code,
                     fmt::format("cannot reach {}: {}", target, opened.error().message)});
    }
    auto closed = co_await client.close();
    loop.quit();
    co_return closed;
  };
  Scope scope;
  loop.post([&] { scope.spawn(main()); });
  loop.run();
  std::fflush(stdout);
  return code;
}

std::string first_line(std::string_view text) {
  return std::string(text.substr(0, text.find('\n')));
}

void print_tools(const std::vector<Tool>& tools, bool as_json) {
  if (as_json) {
    std::string all = "[";
    for (const auto& tool : tools) all += (all.size() > 1 ? "," : "") + tool.definition;
    fmt::print("{}]\n", all);
    return;
  }
  std::size_t width = 0;
  for (const auto& tool : tools) width = std::max(width, tool.key.size());
  for (const auto& tool : tools) {
    const auto description = json::string_member(tool.definition, "description").value_or("");
    fmt::print("{:<{}}  {}\n", tool.key, width, first_line(description));
  }
}

// Prints what a person wants to see of a result; returns the exit code.
int print_result(const std::string& result, bool as_json) {
  const auto [failed, text] = mcp::text_of_result(result);
  if (as_json) {
    fmt::print("{}\n", result);
  } else if (!text.empty()) {
    fmt::print(failed ? stderr : stdout, "{}\n", text);
  }
  return failed ? kExitToolError : kExitOk;
}

// The tool that a person means: the name as listed, or upstream.tool, upstream_tool or the bare
// tool if only one fits.
const Tool* find_tool(const std::vector<Tool>& tools, std::string_view name) {
  const Tool* found = nullptr;
  for (const auto& tool : tools) {
    if (tool.key == name) return &tool;
    const auto separator = tool.key.find("__");
    if (separator == std::string::npos) continue;
    const auto upstream = tool.key.substr(0, separator);
    const auto bare = tool.key.substr(separator + 2);
    if (name != bare && name != upstream + "." + bare && name != upstream + "_" + bare) continue;
    if (found) return nullptr;
    found = &tool;
  }
  return found;
}

Result<std::string> arguments_of(const Tool& tool, const std::vector<std::string>& words) {
  if (words.size() != 1 || !words.front().starts_with('{')) {
    return mcp::typed_arguments(tool.definition, words);
  }
  auto good = json::check(words.front());
  if (!good) return good.error();
  return words.front();
}

Task<int> call(Client& client, Deadline deadline, std::vector<std::string> words, bool as_json) {
  const std::string name = words.front();
  words.erase(words.begin());
  auto tools = co_await client.link().list(mcp::ItemKind::tool, deadline);
  if (!tools) co_return tools.error();
  const Tool* const tool = find_tool(*tools, name);
  if (!tool) {
    fmt::print(stderr, "patchbay: there is no tool '{}'; see patchbay tools\n", name);
    co_return kExitUnknownTool;
  }
  auto arguments = arguments_of(*tool, words);
  if (!arguments) {
    fmt::print(stderr, "patchbay: {}\n", arguments.error().message);
    co_return kExitUsage;
  }
  const std::string text = fmt::format(
      R"({{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{{"name":{},"arguments":{},"_meta":{{"progressToken":1}}}}}})",
      json::quote(tool->key), *arguments);
  mcp::Message message;
  auto parsed = mcp::parse(text, message);
  if (!parsed) co_return parsed.error();
  Terminal terminal;
  const auto* const method = mcp::find_method(message.method, mcp::kNewestLegacy);
  const gateway::Call asked{message,  *method, mcp::kNewestLegacy, "command", here(),
                            terminal, deadline};
  auto reply = co_await client.link().ask(asked, tool->key, deadline);
  if (!reply) co_return reply.error();
  if (reply->is_error) {
    co_return Error{Code::upstream_failed,
                    json::string_member(reply->body, "message").value_or(reply->body)};
  }
  co_return print_result(reply->body, as_json);
}

// The target is the first word if it looks like one, else the local gateway.
std::string take_target(std::vector<std::string>& words) {
  if (words.empty() || !is_target(words.front())) return default_target();
  std::string target = words.front();
  words.erase(words.begin());
  return target;
}

}  // namespace

int list_tools(const ClientOptions& options) {
  auto words = options.words;
  const std::string target = take_target(words);
  if (!words.empty()) {
    fmt::print(stderr, "patchbay: '{}' is not a target; use http://… or 'stdio: command'\n",
               words.front());
    return kExitUsage;
  }
  return run_client(target, options.seconds, [&](Client& client, Deadline deadline) -> Task<int> {
    auto tools = co_await client.link().list(mcp::ItemKind::tool, deadline);
    if (!tools) co_return tools.error();
    print_tools(*tools, options.json);
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
