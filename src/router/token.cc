#include "router/token.h"

#include <fmt/format.h>

#include <algorithm>

#include "config/file.h"
#include "core/command_line.h"
#include "core/text.h"
#include "net/process/child.h"

namespace patchbay::app {
namespace {

constexpr std::size_t kMostToken = 64 * 1024;

Error no_token(std::string message) { return {Code::unavailable, std::move(message)}; }

// A token is one line.
Result<std::string> checked(std::string_view text, std::string_view where) {
  const std::string_view token = trimmed(text);
  if (token.empty()) return no_token(fmt::format("{} contains no token", where));
  const auto is_visible = [](char c) { return c > ' ' && c < 0x7F; };
  if (!std::ranges::all_of(token, is_visible)) {
    return no_token(fmt::format(
        "{} contains no valid token: it has white space or characters that are not ASCII", where));
  }
  return std::string(token);
}

Result<std::string> read_file(const std::string& path) {
  auto text = config::read_trusted_file(path, kMostToken);
  if (!text) return no_token(fmt::format("the token file {} {}", path, text.error().message));
  return checked(*text, fmt::format("the file {}", path));
}

}  // namespace

RouterToken::RouterToken(const RouterSettings& settings) : settings_(settings) {
  if (!settings.oauth) return;
  auto made = RouterOauth::make(settings);
  if (made) oauth_ = *std::move(made);
}

void RouterToken::on_renewed(std::function<void(const std::string&)> notify) {
  if (oauth_) oauth_->on_renewed(std::move(notify));
}

bool RouterToken::refused() {
  if (oauth_) oauth_->refused();
  return oauth_ || !settings_.token_file.empty() || !settings_.token_command.empty();
}

void RouterToken::attend() {
  if (oauth_) oauth_->attend();
}

Task<void> RouterToken::stop() {
  if (!oauth_) co_return ok();
  co_return co_await oauth_->stop();
}

Task<std::string> RouterToken::get(Deadline deadline) {
  if (oauth_) co_return co_await oauth_->get(deadline);
  if (!settings_.token_command.empty()) co_return co_await run_command(deadline);
  if (!settings_.token_file.empty()) co_return read_file(settings_.token_file);
  co_return settings_.token;
}

Task<std::string> RouterToken::run_command(Deadline deadline) {
  auto args = split_args(settings_.token_command);
  if (!args || args->empty()) co_return no_token("the token command cannot be parsed");
  net::Program program;
  program.command = args->front();
  program.args.assign(args->begin() + 1, args->end());
  program.environment = net::usual_environment();
  // Keyrings need these variables.
  for (const char* const name : {"DBUS_SESSION_BUS_ADDRESS", "XDG_RUNTIME_DIR", "DISPLAY"}) {
    net::pass_variable(name, program.environment);
  }
  auto child = net::Child::spawn(program);
  if (!child) co_return child.error();
  (*child)->take_stdin().reset();
  net::Source out((*child)->take_stdout());
  std::string text;
  for (;;) {
    std::array<char, 4096> piece{};
    auto got = co_await out.read_some(piece, deadline);
    if (!got && got.error().code != Code::unavailable) co_return got.error();
    if (!got) break;
    text.append(piece.data(), *got);
    if (text.size() > kMostToken) co_return no_token("the output of the token command is too long");
  }
  auto ended = co_await (*child)->exit(deadline);
  if (!ended) co_return ended.error();
  if (*ended != "exited with status 0") {
    co_return no_token(fmt::format("the token command {}", *ended));
  }
  co_return checked(text, "the token command");
}

}  // namespace patchbay::app
