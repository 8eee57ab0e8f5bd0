#include "cli/client_run.h"

#include <fmt/format.h>

#include "cli/terminal.h"
#include "json/read.h"
#include "mcp_client/connect/http.h"
#include "net/process/signals.h"

namespace patchbay::app {
namespace {

// Prints progress for the waiting person.
class Terminal final : public gateway::Peer {
 public:
  void notify(std::string_view method, std::string_view params) override {
    if (method != "notifications/progress") return;
    const auto progress = json::member(params, "progress").value_or("?");
    const auto total = json::member(params, "total");
    complain("progress {}{}{} {}\n", progress, total ? "/" : "", total.value_or(""),
             json::string_member(params, "message").value_or(""));
  }

  void ask(std::string_view, std::string_view, gateway::Answer answer) override {
    answer(mcp::error_reply({Code::method_not_found, "this client answers no requests"}));
  }
};

int failed(const Error& error) {
  complain("patchbay: {}\n", error.message);
  return kExitFailed;
}

std::string first_line(std::string_view text) {
  return std::string(text.substr(0, text.find('\n')));
}

// The description of an item.
std::string description_of(const mcp::Item& item) {
  for (const auto* const member : {"description", "title", "name"}) {
    const auto text = json::string_member(item.definition, member);
    if (text && *text != item.key) return first_line(*text);
  }
  return "";
}

}  // namespace

int run_client(const std::string& target, const ClientOptions& options,
               const std::function<Task<int>(Client&, Deadline)>& work) {
  net::block_signals();
  net::Loop loop;
  int code = kExitFailed;
  auto main = [&]() -> Task<void> {
    const Deadline deadline =
        here().now() + std::chrono::milliseconds(static_cast<std::int64_t>(options.seconds * 1000));
    Client client(target, {options.ca, options.cert, options.key, "", true},
                  options.token.empty() ? default_token() : options.token);
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

std::string take_target(std::vector<std::string>& args) {
  if (args.empty() || !is_target(args.front())) return default_target();
  std::string target = args.front();
  args.erase(args.begin());
  return target;
}

Result<transport::HttpTarget> control_target(const std::string& server,
                                             const ClientOptions& options) {
  upstreams::HttpSettings settings;
  settings.tls = {options.ca, options.cert, options.key, "", true};
  const std::string token = options.token.empty() ? default_token() : options.token;
  if (!token.empty()) settings.headers.emplace_back("Authorization", "Bearer " + token);
  return upstreams::http_target(settings, server);
}

int too_many_args(const std::vector<std::string>& args) {
  complain("patchbay: '{}' is not a target; use http://… or 'stdio: command'\n", args.front());
  return kExitUsage;
}

Task<mcp::Reply> ask(Client& client, std::string_view method, std::string_view params,
                     const std::string& target, Deadline deadline) {
  const std::string text =
      fmt::format(R"({{"jsonrpc":"2.0","id":1,"method":"{}","params":{}}})", method, params);
  mcp::Message message;
  auto parsed = mcp::parse(text, message);
  if (!parsed) co_return parsed.error();
  Terminal terminal;
  const auto* const known = mcp::find_method(message.method, mcp::kNewestSessionBased);
  const gateway::Call asked{message,   *known, mcp::kNewestSessionBased,
                            "command", here(), terminal,
                            deadline,  0,      local_caller()};
  co_return co_await client.link().ask(asked, target, deadline);
}

Error error_of(const mcp::Reply& reply) {
  return {Code::upstream_failed, json::string_member(reply.body, "message").value_or(reply.body)};
}

const mcp::Item* find_item(const std::vector<mcp::Item>& items, std::string_view name) {
  const mcp::Item* found = nullptr;
  for (const auto& item : items) {
    if (item.key == name) return &item;
    const auto separator = item.key.find("__");
    if (separator == std::string::npos) continue;
    const auto upstream = item.key.substr(0, separator);
    const auto bare = item.key.substr(separator + 2);
    if (name != bare && name != upstream + "." + bare && name != upstream + "_" + bare) continue;
    if (found) return nullptr;
    found = &item;
  }
  return found;
}

Result<std::string> arguments_of(const std::vector<std::string>& args,
                                 const mcp::ReadValue& value_of) {
  if (args.size() != 1 || !args.front().starts_with('{')) {
    return mcp::object_of_pairs(args, value_of);
  }
  auto good = json::check(args.front());
  if (!good) return good.error();
  return args.front();
}

void print_items(const std::vector<mcp::Item>& items, bool as_json) {
  if (as_json) {
    std::string all = "[";
    for (const auto& item : items) all += (all.size() > 1 ? "," : "") + item.definition;
    print_raw(all + "]\n");
    return;
  }
  std::size_t width = 0;
  for (const auto& item : items) width = std::max(width, item.key.size());
  for (const auto& item : items) {
    print("{:<{}}  {}\n", item.key, width, description_of(item));
  }
}

void print_content(std::FILE* out, std::string_view content) {
  print_text(out, mcp::text_of_content(content));
}

}  // namespace patchbay::app
