#include "mcp_client/connect/stdio.h"

#include <fmt/format.h>

#include <unistd.h>

#include <algorithm>
#include <csignal>

#include "transport/line_channel.h"

namespace patchbay::upstreams {
namespace {

using config::Duration;

// One run of the program.
class ChildConnection final : public Connection {
 public:
  ChildConnection(std::unique_ptr<net::Child> child, const std::string& upstream,
                  const StdioSettings& settings)
      : child_(std::move(child)),
        errors_(child_->take_stderr(), upstream, settings.stderr_lines),
        channel_(child_->take_stdout(), child_->take_stdin(),
                 {settings.line.value, settings.outbox.value}),
        grace_(settings.stop_grace) {}

  transport::Channel& channel() override { return channel_; }

  Deadline last_output() const override { return errors_.last_output(); }

  // A pipe usually closes because the program has ended: the reason names how, and its last line on
  // stderr.
  Task<std::string> reason(std::string why) override {
    auto ended = co_await child_->exit(here().now() + Duration(50));
    if (ended) why = fmt::format("the program {}", *ended);
    co_return with_last_line(std::move(why), errors_);
  }

  // Closes its input, then sends SIGTERM, then SIGKILL to its whole group.
  Task<void> end(bool orderly) override {
    channel_.close_sending();
    // A program that violated the protocol or broke its pipes gets no time to react to its end of
    // input.
    auto exited = co_await child_->exit(here().now() + (orderly ? grace_ : Duration(0)));
    if (!exited) {
      child_->signal(SIGTERM);
      exited = co_await child_->exit(here().now() + grace_);
    }
    if (!exited) {
      child_->signal(SIGKILL);
      exited = co_await child_->exit(kNever);
    }
    channel_.close();
    co_return ok();
  }

 private:
  std::unique_ptr<net::Child> child_;
  StderrLog errors_;
  transport::LineChannel channel_;
  const Duration grace_;
};

// Runs the program as `user`, with that user's environment unless the settings override it.
void become(const net::User& user, const StdioSettings& settings, net::Program& program) {
  program.user = user;
  const auto set = [&](const std::string& name, const std::string& value) {
    const bool given =
        std::ranges::any_of(settings.env, [&](const auto& entry) { return entry.first == name; });
    if (given) return;
    std::erase_if(program.environment,
                  [&](const std::string& entry) { return entry.starts_with(name + "="); });
    if (!value.empty()) program.environment.push_back(fmt::format("{}={}", name, value));
  };
  set("USER", user.name);
  set("LOGNAME", user.name);
  set("HOME", user.home_directory);
  set("SHELL", user.shell);
}

}  // namespace

Task<std::unique_ptr<Connection>> ChildConnector::connect(Deadline /*deadline*/) {
  if (!user_) co_return user_.error();
  net::Program program = program_of(settings_);
  if (*user_) become(**user_, settings_, program);
  if (allowed_) {
    auto may_run = allowed_->check(program);
    if (!may_run) co_return may_run.error();
  }
  auto child = net::Child::spawn(program);
  if (!child) co_return child.error();
  co_return std::make_unique<ChildConnection>(*std::move(child), upstream_, settings_);
}

Result<std::optional<net::User>> user_of(const StdioSettings& settings) {
  if (settings.user.empty()) return std::optional<net::User>();
  auto user = net::find_user(settings.user);
  if (!user) return Error{user.error().code, "user: " + user.error().message};
  // Only root can change the user.
  if (::geteuid() != 0) return std::optional<net::User>();
  return std::optional<net::User>(*std::move(user));
}

std::string with_last_line(std::string why, StderrLog& errors) {
  const std::string line = errors.last_line();
  if (!line.empty()) why += fmt::format("; its last line on stderr: {}", line);
  return why;
}

net::Program program_of(const StdioSettings& settings) {
  net::Program program{settings.command, settings.args, net::usual_environment(), settings.cwd};
  net::pass_network_variables(program.environment);
  const auto drop = [&](const std::string& name) {
    std::erase_if(program.environment,
                  [&](const std::string& entry) { return entry.starts_with(name + "="); });
  };
  for (const auto& name : settings.env_pass) {
    drop(name);
    net::pass_variable(name.c_str(), program.environment);
  }
  for (const auto& [name, value] : settings.env) {
    drop(name);
    program.environment.push_back(fmt::format("{}={}", name, value));
  }
  program.marked = true;
  return program;
}

}  // namespace patchbay::upstreams
