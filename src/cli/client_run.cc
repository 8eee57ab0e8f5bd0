#include "cli/client_run.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>

#include "cli/failure.h"
#include "cli/table.h"
#include "cli/terminal.h"
#include "config/file.h"
#include "config/load.h"
#include "json/read.h"
#include "mcp_client/connect/http.h"
#include "net/process/signals.h"

namespace patchbay::app {
namespace {

constexpr std::size_t kBarWidth = 30;
constexpr std::size_t kMostMessage = 40;

// Prints progress for the waiting person: a bar on a terminal, lines elsewhere.
class Terminal final : public gateway::Peer {
 public:
  ~Terminal() override {
    if (drawn_) write_complaint("\r\x1b[K");
  }

  void notify(std::string_view method, std::string_view params) override {
    if (method != "notifications/progress") return;
    const auto progress = json::member(params, "progress").value_or("?");
    const auto total = json::member(params, "total");
    const auto message = json::string_member(params, "message").value_or("");
    if (total && is_terminal(stderr)) return draw(number_of(progress), number_of(*total), message);
    complain("progress {}{}{} {}\n", progress, total ? "/" : "", total.value_or(""), message);
  }

  void ask(std::string_view, std::string_view, gateway::Answer answer) override {
    answer(mcp::error_reply({Code::method_not_found, "this client answers no requests"}));
  }

 private:
  static double number_of(std::string_view raw) {
    double number = 0;
    std::from_chars(raw.data(), raw.data() + raw.size(), number);
    return number;
  }

  void draw(double progress, double total, const std::string& message) {
    const double part = total > 0 ? std::clamp(progress / total, 0.0, 1.0) : 0.0;
    const auto full = static_cast<std::size_t>(part * static_cast<double>(kBarWidth));
    write_complaint("\r\x1b[K");
    complain("[{}{}] {:3.0f}% {}", std::string(full, '#'), std::string(kBarWidth - full, ' '),
             part * 100, json::shortened(message, kMostMessage));
    std::fflush(stderr);
    drawn_ = true;
  }

  bool drawn_ = false;
};

// What `-` (stdin) or `@FILE` names, without the white space around it.
Result<std::string> read_argument(const std::string& given) {
  auto text = given == "-" ? config::read_stdin(config::kMaxFile)
                           : config::read_file(given.substr(1), config::kMaxFile);
  if (!text) {
    return Error{text.error().code, fmt::format("{} {}", given == "-" ? "stdin" : given.substr(1),
                                                text.error().message)};
  }
  const std::size_t first = text->find_first_not_of(" \t\r\n");
  if (first == std::string::npos) return Error{Code::invalid_params, given + " is empty"};
  return text->substr(first, text->find_last_not_of(" \t\r\n") + 1 - first);
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
      code = worked ? *worked : failed(worked.error().message);
    } else {
      code = failed(fmt::format("cannot reach {}: {}", target, opened.error().message));
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
  if (args.size() != 1) return mcp::object_of_pairs(args, value_of);
  std::string text = args.front();
  if (text == "-" || text.starts_with('@')) {
    auto read = read_argument(text);
    if (!read) return read;
    text = *std::move(read);
  } else if (!text.starts_with('{')) {
    return mcp::object_of_pairs(args, value_of);
  }
  auto good = json::check(text);
  if (!good) return good.error();
  if (json::type_of(text) == json::Type::object) return text;
  return Error{Code::invalid_params, "the arguments must be a JSON object"};
}

void print_items(const std::vector<mcp::Item>& items, bool as_json, std::string_view kind) {
  if (as_json) {
    std::string all = "[";
    for (const auto& item : items) all += (all.size() > 1 ? "," : "") + item.definition;
    print_raw(all + "]\n");
    return;
  }
  if (items.empty()) {
    complain("the server offers no {}, or none that this caller may use\n", kind);
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
