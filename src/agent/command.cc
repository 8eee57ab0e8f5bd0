#include "agent/command.h"

#include <fmt/format.h>
#include <sys/mman.h>

#include <cerrno>
#include <csignal>
#include <cstring>

namespace patchbay::agent {
namespace {

constexpr std::size_t kLongestArgument = 128 * 1024 - 1;  // MAX_ARG_STRLEN, without its NUL.
constexpr auto kFeedTimeout = std::chrono::hours(24);     // A program may read late.

// A file without a name that holds `code`.
Result<net::Fd> hold(const std::string& code) {
  net::Fd file(::memfd_create("code", MFD_CLOEXEC));
  const auto fault = [] {
    return Error{Code::unavailable, fmt::format("cannot hold the code: {}", std::strerror(errno))};
  };
  if (!file) return fault();
  for (std::size_t done = 0; done < code.size();) {
    const ssize_t n = ::write(file.get(), code.data() + done, code.size() - done);
    if (n < 0) return fault();
    done += static_cast<std::size_t>(n);
  }
  ::lseek(file.get(), 0, SEEK_SET);
  return file;
}

}  // namespace

Result<CommandLine> code_line(std::string_view program, std::string_view option,
                              const std::string& code, std::string_view reader) {
  CommandLine line;
  line.program.command = program;
  line.program.args = {std::string(option), code};
  line.program.pipe_size = 0;
  if (code.size() <= kLongestArgument) return line;
  auto file = hold(code);
  if (!file) return file.error();
  line.program.args.back() = reader;
  line.program.handed_over = file->get();
  line.code = *std::move(file);
  return line;
}

Result<CommandLine> shell_line(const std::string& line) {
  return code_line("sh", "-c", line, ". /proc/self/fd/3");
}

Task<void> feed(net::Fd to, std::string input) {
  if (!to) co_return ok();
  net::Source pipe(std::move(to));
  co_return co_await pipe.write_all(input, kFeedTimeout);
}

Task<CommandEnd> wait_or_kill(net::Child& child, Deadline deadline, Clock::duration grace) {
  auto ended = co_await child.exit(deadline);
  const bool timed_out = !ended && ended.error().code == Code::timeout;
  if (timed_out && grace > Clock::duration::zero()) {
    child.signal(SIGTERM);
    ended = co_await child.exit(here().now() + grace);
  }
  if (!ended) {
    const Error why = ended.error();
    child.signal(SIGKILL);
    // Shielded: the group must be gone before the task yields.
    auto exit = child.exit(kNever);
    ended = co_await exit.shielded();
    if (why.code == Code::cancelled) co_return why;
  }
  co_return CommandEnd{*child.ending(), timed_out};
}

Task<CommandEnd> run_command(net::Child& child, CommandLimits limits, Output& out, Output& err) {
  Pump from_out(child.take_stdout(), out, limits.slow);
  Pump from_err(child.take_stderr(), err, limits.slow);
  Scope feeding;
  if (limits.input) feeding.spawn(feed(child.take_stdin(), *std::move(limits.input)));
  auto end = co_await wait_or_kill(child, limits.deadline, limits.grace);
  from_out.finish();
  from_err.finish();
  feeding.cancel();
  auto drain = feeding.drain(kNever);
  auto drained = co_await drain.shielded();
  if (!drained) co_return drained.error();
  co_return end;
}

}  // namespace patchbay::agent
