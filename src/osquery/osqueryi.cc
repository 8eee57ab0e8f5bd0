#include "osquery/osqueryi.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <array>
#include <csignal>

#include "core/scope.h"
#include "net/child.h"
#include "osquery/text.h"

namespace patchbay::osquery {
namespace {

constexpr std::size_t kMostErrors = 16 << 10;  // Of its stderr; the rest is drained and dropped.
constexpr std::string_view kWell = "exited with status 0";

// Reads until the end of the stream. What exceeds `most` is dropped, and then `full` says so.
Task<void> drain(net::Source& from, std::size_t most, std::string& into, OneShot<void>* full) {
  std::array<char, 16 << 10> bytes;
  for (;;) {
    auto got = co_await from.read_some(bytes, kNever);
    if (!got) co_return got.error();
    const std::size_t room = most - into.size();
    into.append(bytes.data(), std::min(*got, room));
    if (full && *got > room) full->deliver(ok());
    co_await next_turn();  // A flood must not keep the worker to itself.
  }
}

// Delivers when both streams have ended and the child has.
Task<void> wait_for(net::Child& child, Scope& readers, std::string& exit, OneShot<void>& over) {
  auto drained = co_await readers.drain(kNever);
  auto ended = co_await child.exit(kNever);
  if (ended) exit = *ended;
  over.deliver(ended ? ok() : Result<void>(ended.error()));
  co_return ok();
}

// With a table that is not enabled, osqueryi is as if it had none of that name. A version that does
// not know an option fails, so that nothing is read without its fence.
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
  // Older versions end well all the same when a query fails, with no rows.
  const std::string_view said = first_lines(err);
  if (rows.rows() == 0 && said.starts_with("Error:")) return failed("failed", said);
  if (rows.rows() > static_cast<std::size_t>(settings.rows)) {
    return Error{Code::too_large, fmt::format("the query was cut: it yields more than {} rows; "
                                              "narrow it with WHERE or LIMIT",
                                              settings.rows)};
  }
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
  std::string said;
  std::string exit;
  OneShot<void> over;  // Everything has ended, or too much has come.
  Scope readers;
  readers.spawn(drain(out, settings.bytes.value, printed, &over));
  readers.spawn(drain(err, kMostErrors, said, nullptr));
  Scope waiting;
  waiting.spawn(wait_for(**child, readers, exit, over));
  auto ended = co_await over.wait(deadline);
  const bool whole = ended && !exit.empty();
  // However it went, nothing of it is left behind.
  if (!whole) {
    (*child)->signal(SIGKILL);
    readers.cancel();
  }
  Stop deaf;
  auto leaving = waiting.drain(kNever);
  auto left = co_await leaving.hearing(deaf);
  if (whole) co_return read_output(printed, said, exit, settings, format);
  if (ended) {
    co_return Error{Code::too_large, fmt::format("the query was cut: its answer is larger than {}; "
                                                 "name fewer columns, or narrow it",
                                                 config::print(settings.bytes))};
  }
  if (ended.error().code != Code::timeout) co_return ended.error();
  co_return Error{Code::timeout, fmt::format("the query was cut: it took longer than {}",
                                             config::print(settings.timeout))};
}

}  // namespace patchbay::osquery
