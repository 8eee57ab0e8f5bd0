// Background holds the programs that continue after the request that started them: a server, an
// interactive shell. They belong to the agent and end with it; finished ones are stored, with their
// last output, until their slot is needed.
//
// Confined to the thread of the agent's loop.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "agent/command.h"
#include "agent/output.h"
#include "agent/pump.h"
#include "async/scope.h"
#include "net/process/child.h"

namespace patchbay::agent {

class BackgroundProcess {
 public:
  BackgroundProcess(std::uint64_t number, std::string title, std::unique_ptr<net::Child> child,
                    std::size_t max_output);
  ~BackgroundProcess();

  std::uint64_t number() const { return number_; }
  const std::string& title() const { return title_; }  // The command line.
  pid_t pid() const { return pid_; }
  bool running() const { return child_ != nullptr; }
  bool timed_out() const { return timed_out_; }
  // REQUIRES: not running().
  const net::Ending& ending() const { return ending_; }

  void signal(int number) const {
    if (child_) child_->signal(number);
  }

  // Waits until there is unread output, or it has ended, or the deadline has passed.
  Task<void> update(Deadline deadline);

  bool has_output() const { return !out_.empty() || !err_.empty(); }
  LastBytes::Piece take_out(std::size_t most) { return out_.take_front(most, !running()); }
  LastBytes::Piece take_err(std::size_t most) { return err_.take_front(most, !running()); }

  // Writes to its stdin, which waits until it reads. Code::overloaded while another write waits.
  Task<void> write(std::string bytes);
  void close_input() { input_.reset(); }
  bool reads_input() const { return input_.has_value(); }
  bool being_written() const { return writing_; }

  // Runs until the program has ended, by wait_or_kill().
  Task<void> watch(Deadline deadline, Clock::duration grace);

 private:
  // An output that notifies when it has content.
  class Noted final : public Output {
   public:
    Noted(LastBytes& stored, BackgroundProcess& process) : stored_(stored), process_(process) {}
    void take(std::string_view bytes) override {
      stored_.take(bytes);
      process_.notify();
    }

   private:
    LastBytes& stored_;
    BackgroundProcess& process_;
  };

  void notify();

  const std::uint64_t number_;
  const std::string title_;
  const pid_t pid_;
  // Only running programs need descriptors: they are closed when the program has ended.
  std::unique_ptr<net::Child> child_;
  LastBytes out_;
  LastBytes err_;
  Noted noted_out_{out_, *this};
  Noted noted_err_{err_, *this};
  std::optional<Pump> from_out_;
  std::optional<Pump> from_err_;
  std::optional<net::Source> input_;
  bool writing_ = false;
  net::Ending ending_;
  bool timed_out_ = false;
  std::vector<OneShot<void>*> waiting_;
};

class Background {
 public:
  Background(std::size_t most, std::size_t max_output) : most_(most), max_output_(max_output) {}

  using Process = std::shared_ptr<BackgroundProcess>;

  // Code::overloaded if the maximum number of processes is running; Code::unavailable if it cannot
  // be started.
  Result<Process> start(CommandLine line, std::string title, Deadline deadline,
                        Clock::duration grace);

  // Null if there is none.
  Process find(std::uint64_t number) const;
  const std::map<std::uint64_t, Process>& all() const { return processes_; }

  // Kills them all, and waits until they have ended.
  Task<void> stop();

 private:
  bool make_room();
  static Task<void> watch(Process process, Deadline deadline, Clock::duration grace);

  const std::size_t most_;
  const std::size_t max_output_;
  std::map<std::uint64_t, Process> processes_;  // The oldest first.
  std::uint64_t last_number_ = 0;
  Scope watching_;
};

}  // namespace patchbay::agent
