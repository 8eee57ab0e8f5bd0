#include "agent/background.h"

#include <fmt/format.h>

#include <algorithm>

namespace patchbay::agent {
namespace {

constexpr auto kWriteTimeout = std::chrono::hours(24);  // A program may read late.

}  // namespace

BackgroundProcess::BackgroundProcess(std::uint64_t number, std::string title,
                                     std::unique_ptr<net::Child> child, std::size_t max_output)
    : number_(number),
      title_(std::move(title)),
      pid_(child->pid()),
      child_(std::move(child)),
      out_(max_output),
      err_(max_output) {
  from_out_.emplace(child_->take_stdout(), noted_out_);
  from_err_.emplace(child_->take_stderr(), noted_err_);
  if (net::Fd input = child_->take_stdin()) input_.emplace(std::move(input));
}

BackgroundProcess::~BackgroundProcess() = default;

void BackgroundProcess::notify() {
  for (auto* const waiting : waiting_) waiting->deliver(ok());
  waiting_.clear();
}

Task<void> BackgroundProcess::update(Deadline deadline) {
  if (has_output() || !running() || deadline <= here().now()) co_return ok();
  OneShot<void> update;
  waiting_.push_back(&update);
  auto came = co_await update.wait(deadline);
  std::erase(waiting_, &update);
  if (!came && came.error().code == Code::cancelled) co_return came.error();
  co_return ok();
}

Task<void> BackgroundProcess::write(std::string bytes) {
  if (writing_) co_return Error{Code::overloaded, "another write to this process waits"};
  writing_ = true;
  auto written = co_await input_->write_all(bytes, kWriteTimeout);
  writing_ = false;
  if (!running()) input_.reset();
  co_return written;
}

Task<void> BackgroundProcess::watch(Deadline deadline, Clock::duration grace) {
  auto ended = co_await wait_or_kill(*child_, deadline, grace);
  timed_out_ = ended && ended->timed_out;
  from_out_->finish();
  from_err_->finish();
  from_out_.reset();
  from_err_.reset();
  if (!writing_) input_.reset();
  ending_ = *child_->ending();
  child_.reset();
  notify();
  co_return ok();
}

Result<Background::Process> Background::start(CommandLine line, std::string title,
                                              Deadline deadline, Clock::duration grace) {
  if (!make_room()) {
    return Error{Code::overloaded,
                 fmt::format("{} background processes are running already", most_)};
  }
  auto child = net::Child::spawn(line.program);
  if (!child) return child.error();
  auto process = std::make_shared<BackgroundProcess>(++last_number_, std::move(title),
                                                     *std::move(child), max_output_);
  processes_.emplace(process->number(), process);
  watching_.spawn(watch(process, deadline, grace));
  return process;
}

// The process that ended first is removed first.
bool Background::make_room() {
  if (processes_.size() < most_) return true;
  const auto over =
      std::ranges::find_if(processes_, [](const auto& entry) { return !entry.second->running(); });
  if (over == processes_.end()) return false;
  processes_.erase(over);
  return true;
}

Background::Process Background::find(std::uint64_t number) const {
  const auto found = processes_.find(number);
  return found == processes_.end() ? nullptr : found->second;
}

Task<void> Background::watch(Process process, Deadline deadline, Clock::duration grace) {
  co_return co_await process->watch(deadline, grace);
}

Task<void> Background::stop() {
  watching_.cancel();
  auto ended = co_await watching_.drain(kNever);
  processes_.clear();
  co_return ended;
}

}  // namespace patchbay::agent
