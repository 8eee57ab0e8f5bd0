#include "osquery/query_pool.h"

#include <fmt/format.h>

#include <csignal>

#include "net/process/child.h"
#include "osquery/query_process.h"

namespace patchbay::osquery {
namespace {

constexpr std::chrono::seconds kEnding(5);  // For a process that has closed its stdout.

constexpr std::uint64_t kMessageRoom = 1024;  // For our own error messages.

Task<void> read_whole(net::Source& from, std::span<char> into, Deadline deadline) {
  while (!into.empty()) {
    auto got = co_await from.read_some(into, deadline);
    if (!got) co_return got.error();
    into = into.subspan(*got);
  }
  co_return ok();
}

Error invalid_answer() {
  return {Code::internal, "Internal error: a query process sent an invalid answer"};
}

}  // namespace

struct QueryPool::Process {
  explicit Process(std::unique_ptr<net::Child> started)
      : child(std::move(started)), in(child->take_stdin()), out(child->take_stdout()) {
    child->take_stderr().reset();  // It writes nothing there.
  }

  std::unique_ptr<net::Child> child;
  net::Source in;
  net::Source out;
};

QueryPool::QueryPool(const Settings& settings)
    : settings_(settings), settings_text_(write_settings(settings)) {}

QueryPool::~QueryPool() = default;

Result<std::unique_ptr<QueryPool::Process>> QueryPool::take() {
  while (!idle_.empty()) {
    auto process = std::move(idle_.back());
    idle_.pop_back();
    if (!process->child->exited()) return process;
  }
  // The running program, even if its file has been replaced meanwhile.
  net::Program program{"/proc/self/exe", {kQueriesCommand, settings_text_}, {}, ""};
  // Where the table systemd_units finds its bus.
  net::pass_variable("DBUS_SYSTEM_BUS_ADDRESS", program.environment);
  auto child = net::Child::spawn(program);
  if (!child) return child.error();
  return std::make_unique<Process>(*std::move(child));
}

Task<std::string> QueryPool::run(std::string_view sql, Format format, Deadline deadline) {
  auto process = take();
  if (!process) co_return process.error();
  bool usable = false;
  auto rows = co_await ask(**process, sql, format, deadline, usable);
  if (usable) {
    idle_.push_back(*std::move(process));
    co_return rows;
  }
  const Code why = rows ? Code::internal : rows.error().code;
  if (why == Code::unavailable) rows = co_await explain(**process);
  if (why == Code::timeout) rows = too_much_time(settings_);
  ending_.spawn(end(*std::move(process)));
  co_return rows;
}

Task<std::string> QueryPool::ask(Process& process, std::string_view sql, Format format,
                                 Deadline deadline, bool& usable) {
  const QueryHead head{static_cast<std::uint32_t>(sql.size()), format};
  std::string request(reinterpret_cast<const char*>(&head), sizeof(head));
  request += sql;
  auto sent = co_await process.in.write_all(request, deadline - here().now());
  if (!sent) co_return sent.error();
  AnswerHead answer;
  const std::span<char> bytes(reinterpret_cast<char*>(&answer), sizeof(answer));
  auto got = co_await read_whole(process.out, bytes, deadline);
  if (!got) co_return got.error();
  // An error message may repeat a part of the SQL.
  const std::uint64_t most = settings_.bytes.value + settings_.statement.value + kMessageRoom;
  if (answer.size > most || answer.failure > kFailures.size()) {
    co_return invalid_answer();
  }
  std::string text(answer.size, '\0');
  got = co_await read_whole(process.out, text, deadline);
  if (!got) co_return got.error();
  usable = true;
  if (answer.failure == 0) co_return text;
  co_return Error{kFailures[answer.failure - 1], std::move(text)};
}

Task<std::string> QueryPool::explain(Process& process) {
  auto ended = co_await process.child->exit(here().now() + kEnding);
  if (!ended) co_return ended.error();
  const auto& ending = *process.child->ending();
  // Only the kernel ends it with SIGKILL, when the machine is out of memory.
  const bool too_much = ending.by_signal ? ending.status == SIGKILL : ending.status == kOutOfMemory;
  if (too_much) co_return too_much_memory(settings_);
  if (ending.by_signal && ending.status == SIGXCPU) co_return too_much_processor(settings_);
  co_return Error{Code::internal, fmt::format("the query ended its process, which {}", *ended)};
}

Task<void> QueryPool::end(std::unique_ptr<Process> process) {
  process->child->signal(SIGKILL);
  auto ended = co_await process->child->exit(kNever);
  if (!ended) co_return ended.error();
  co_return ok();
}

Task<void> QueryPool::stop(Deadline deadline) {
  idle_.clear();
  // Even the kernel may not be able to end a process in time.
  co_return co_await ending_.finish(deadline);
}

}  // namespace patchbay::osquery
