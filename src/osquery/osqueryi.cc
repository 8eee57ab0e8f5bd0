#include "osquery/osqueryi.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <sys/resource.h>
#include <unistd.h>

#include <array>
#include <csignal>
#include <fstream>
#include <functional>

#include "async/scope.h"
#include "core/discard.h"
#include "net/process/child.h"
#include "osquery/text.h"

namespace patchbay::osquery {
namespace {

constexpr std::size_t kMostErrors = 16 << 10;  // Of its stderr; the rest is drained and dropped.
constexpr std::chrono::milliseconds kLookInterval(100);
constexpr std::string_view kWell = "exited with status 0";

// Reads until the end of the stream. What exceeds `most` is dropped, and then `on_full` is called.
Task<void> drain(net::Source& from, std::size_t most, std::string& into,
                 std::function<void()> on_full) {
  std::array<char, 16 << 10> bytes;
  for (;;) {
    auto got = co_await from.read_some(bytes, kNever);
    if (!got) co_return got.error();
    const std::size_t room = most - into.size();
    into.append(bytes.data(), std::min(*got, room));
    if (*got > room) on_full();
    co_await next_turn();  // A flood must not monopolise the worker.
  }
}

// Delivers when both streams have ended and the child has.
Task<void> wait_for(net::Child& child, Scope& readers, OneShot<void>& over) {
  auto drained = co_await readers.drain(kNever);
  discard(drained, "the exit status decides");
  auto ended = co_await child.exit(kNever);
  over.deliver(ended ? ok() : Result<void>(ended.error()));
  co_return ok();
}

// The watchdog: calls `on_excess` once the program holds more than `most` bytes of memory.
Task<void> watch_memory(pid_t pid, std::uint64_t most, std::function<void()> on_excess) {
  const std::string file = fmt::format("/proc/{}/statm", pid);
  const auto page = static_cast<std::uint64_t>(::sysconf(_SC_PAGESIZE));
  for (;;) {
    auto slept = co_await sleep_until(here().now() + kLookInterval);
    if (!slept) co_return slept;
    std::uint64_t size = 0;
    std::uint64_t resident = 0;
    std::ifstream(file) >> size >> resident;
    if (resident * page > most) on_excess();
  }
}

// The kernel sends SIGXCPU, and a second later SIGKILL.
void limit_processor(pid_t pid, const Settings& settings) {
  const rlim_t seconds = cpu_seconds(settings);
  const rlimit wanted{seconds, seconds + 1};
  // If it fails, the program has exited already.
  ::prlimit(pid, RLIMIT_CPU, &wanted, nullptr);
}

Task<void> leave(Scope& waiting, Scope& watching) {
  auto left = co_await waiting.drain(kNever);
  auto watched = co_await watching.drain(kNever);
  co_return left ? watched : left;
}

// To osqueryi a table that is not enabled does not exist. A version without one of these options
// fails, so that nothing is read without its restriction.
std::vector<std::string> arguments_of(const TablePolicy& policy, std::string_view sql) {
  std::vector<std::string> arguments{"--json", "--disable_extensions"};
  const auto& denied = policy.denied();
  const auto& allowed = policy.allowed();
  if (!denied.empty())
    arguments.push_back(fmt::format("--disable_tables={}", fmt::join(denied, ",")));
  if (!allowed.empty())
    arguments.push_back(fmt::format("--enable_tables={}", fmt::join(allowed, ",")));
  arguments.emplace_back(sql);
  return arguments;
}

std::string_view first_lines(std::string_view text) { return trimmed(text.substr(0, 1000)); }

}  // namespace

Result<std::string> read_output(std::string_view out, std::string_view err, std::string_view exit,
                                const Settings& settings, Format format) {
  const auto failed = [&](std::string_view what, std::string_view why) {
    return Error{Code::upstream_failed,
                 fmt::format("{} {}{}{}", settings.osqueryi, what, why.empty() ? "" : ": ", why)};
  };
  if (exit != kWell) return failed(exit, first_lines(err));
  RowWriter rows(format);
  auto written = write_json_rows(out, rows);
  if (!written) return failed("printed no rows", written.error().message);
  // Older versions exit with success when a query fails, with no rows.
  const std::string_view errors = first_lines(err);
  if (rows.rows() == 0 && errors.starts_with("Error:")) return failed("failed", errors);
  if (rows.rows() > static_cast<std::size_t>(settings.rows)) return too_many_rows(settings);
  return rows.finish();
}

Task<std::string> ask_osqueryi(const Settings& settings, const TablePolicy& policy,
                               std::string_view sql, Format format, Deadline deadline) {
  const net::Program program{settings.osqueryi, arguments_of(policy, sql), net::usual_environment(),
                             ""};
  auto child = net::Child::spawn(program);
  if (!child) {
    co_return Error{child.error().code,
                    child.error().message + "; install osquery, or use the engine builtin"};
  }
  (*child)->take_stdin().reset();
  net::Source out((*child)->take_stdout());
  net::Source err((*child)->take_stderr());
  std::string printed;
  std::string errors;
  OneShot<void> over;  // Everything has ended, or a limit was exceeded.
  bool too_long = false;
  bool too_large = false;
  Scope readers;
  readers.spawn(drain(out, settings.bytes.value, printed, [&] {
    too_long = true;
    over.deliver(ok());
  }));
  readers.spawn(drain(err, kMostErrors, errors, [] {}));
  Scope watching;
  watching.spawn(watch_memory((*child)->pid(), settings.memory.value, [&] {
    too_large = true;
    over.deliver(ok());
  }));
  limit_processor((*child)->pid(), settings);
  Scope waiting;
  waiting.spawn(wait_for(**child, readers, over));
  auto ended = co_await over.wait(deadline);
  // In every case nothing of it is left behind.
  watching.cancel();
  if (!(*child)->exited()) {
    (*child)->signal(SIGKILL);
    readers.cancel();
  }
  auto leaving = leave(waiting, watching);
  auto left = co_await leaving.shielded();
  discard(left, "cleanup");
  if (!ended && ended.error().code == Code::timeout) co_return too_much_time(settings);
  if (!ended) co_return ended.error();
  if (too_large) co_return too_much_memory(settings);
  if (too_long) co_return too_many_bytes(settings);
  const net::Ending& ending = *(*child)->ending();
  if (ending.by_signal && ending.status == SIGXCPU) co_return too_much_processor(settings);
  co_return read_output(printed, errors, ending.sentence(), settings, format);
}

}  // namespace patchbay::osquery
