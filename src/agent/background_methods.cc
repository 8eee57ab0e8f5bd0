// start, poll, write, kill, processes: programs that continue after the request.
#include <fmt/format.h>

#include <array>
#include <csignal>

#include "agent/background.h"
#include "agent/methods.h"
#include "agent/run_options.h"
#include "core/base64.h"
#include "core/text.h"
#include "json/text.h"

namespace patchbay::agent {
namespace {

constexpr std::size_t kMaxTitlePart = 200;

struct Signal {
  std::string_view name;
  int number;
};
constexpr std::array kSignals{
    Signal{"KILL", SIGKILL}, Signal{"TERM", SIGTERM}, Signal{"INT", SIGINT},
    Signal{"HUP", SIGHUP},   Signal{"QUIT", SIGQUIT}, Signal{"USR1", SIGUSR1},
    Signal{"USR2", SIGUSR2}, Signal{"STOP", SIGSTOP}, Signal{"CONT", SIGCONT},
};

int signal_of(Params& params) {
  const std::string name = params.text("signal", "KILL");
  for (const auto& signal : kSignals) {
    if (name == signal.name || name == fmt::format("SIG{}", signal.name)) return signal.number;
  }
  params.refuse("`signal` must be one of KILL, TERM, INT, HUP, QUIT, USR1, USR2, STOP, CONT");
  return 0;
}

Result<Background::Process> find_process(Asked asked) {
  const std::uint64_t number = asked.params.number("process");
  if (auto good = asked.params.check(); !good) return good.error();
  auto process = asked.services.background.find(number);
  if (!process) {
    return Error{Code::invalid_params, fmt::format("invalid params: no process {}", number)};
  }
  return process;
}

void append_state(std::string& out, const BackgroundProcess& process) {
  out += fmt::format("\"running\":{}", process.running());
  if (process.running()) return;
  const net::Ending& ending = process.ending();
  out += fmt::format(",\"exit_code\":{}", ending.by_signal ? -1 : ending.status);
  if (ending.by_signal) out += fmt::format(",\"signal\":{}", ending.status);
  out += fmt::format(",\"timed_out\":{}", process.timed_out());
}

void append_piece(std::string& out, std::string_view name, const LastBytes::Piece& piece,
                  Encoding encoding) {
  out += fmt::format(",\"{}\":", name);
  append_bytes(out, piece.bytes, encoding);
  out += fmt::format(",\"{}_dropped\":{}", name, piece.dropped);
}

}  // namespace

Task<std::string> start(Asked asked) {
  auto line = asked_line(asked.params);
  const RunOptions options = RunOptions::of(asked);
  const bool interactive = asked.params.flag("interactive");
  const bool bound = asked.params.flag("bound");
  if (options.input || options.stream) {
    asked.params.refuse("`stdin` and `stream` are for exec; see `interactive`, `write` and `poll`");
  }
  if (auto good = asked.params.check(); !good) co_return good.error();
  if (!line) co_return line.error();
  options.apply(asked.services, line->program);
  line->program.reads_input = interactive;
  const auto& program = line->program;
  std::string title = program.command;
  for (const auto& arg : program.args) title += " " + json::shortened(arg, kMaxTitlePart);
  const Deadline deadline = asked.params.has("timeout") ? Clock::now() + options.timeout : kNever;
  auto process = asked.services.background.start(
      *std::move(line), json::shortened(title, kMaxTitlePart), deadline, options.grace);
  if (!process && process.error().code == Code::unavailable) {
    co_return Error{Code::internal, process.error().message};
  }
  if (!process) co_return process.error();
  if (bound) asked.peer.bind(**process);
  co_return fmt::format(R"({{"process":{},"pid":{}}})", (*process)->number(), (*process)->pid());
}

Task<std::string> poll(Asked asked) {
  const Settings& settings = asked.services.settings;
  const double wait = asked.params.seconds("wait", 0);
  const auto most = static_cast<std::size_t>(
      std::min(asked.params.number("max_output", settings.max_output), settings.max_output));
  const Encoding encoding = encoding_of(asked.params);
  auto process = find_process(asked);
  if (!process) co_return process.error();
  const auto time = std::chrono::duration_cast<Clock::duration>(
      std::chrono::duration<double>(std::min(wait, static_cast<double>(settings.max_seconds))));
  auto update = co_await (*process)->update(here().now() + time);
  if (!update) co_return update.error();
  const auto out = (*process)->take_out(most);
  const auto err = (*process)->take_err(most);
  std::string result = "{";
  append_state(result, **process);
  append_piece(result, "stdout", out, encoding);
  append_piece(result, "stderr", err, encoding);
  result += fmt::format(",\"more\":{}}}", (*process)->has_output());
  co_return result;
}

Task<std::string> write(Asked asked) {
  std::string data = asked.params.content("data", "");
  if (encoding_of(asked.params) == Encoding::base64) {
    auto bytes = base64_decode(data);
    if (!bytes) asked.params.refuse("`data` must be base64");
    data = std::move(bytes).value_or("");
  }
  const bool close = asked.params.flag("close");
  auto process = find_process(asked);
  if (!process) co_return process.error();
  if (!(*process)->reads_input()) {
    co_return Error{Code::internal,
                    fmt::format("process {} has no input to write to", (*process)->number())};
  }
  const std::size_t size = data.size();
  auto written = co_await (*process)->write(std::move(data));
  if (!written && written.error().code == Code::unavailable) {
    co_return Error{Code::internal,
                    fmt::format("process {} does not read any more", (*process)->number())};
  }
  if (!written) co_return written.error();
  if (close) (*process)->close_input();
  co_return fmt::format(R"({{"written":{}}})", size);
}

Task<std::string> kill(Asked asked) {
  const int signal = signal_of(asked.params);
  auto process = find_process(asked);
  if (!process) co_return process.error();
  const bool running = (*process)->running();
  if (running) (*process)->signal(signal);
  co_return fmt::format(R"({{"success":{}}})", running);
}

Task<std::string> processes(Asked asked) {
  std::string result = R"({"processes":[)";
  for (const auto& [number, process] : asked.services.background.all()) {
    if (result.back() == '}') result += ',';
    result += fmt::format(R"({{"process":{},"pid":{},"command":{},)", number, process->pid(),
                          json::quote(process->title()));
    append_state(result, *process);
    result += '}';
  }
  co_return result + "]}";
}

}  // namespace patchbay::agent
