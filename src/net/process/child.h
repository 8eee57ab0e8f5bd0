// A Child is a running program: spawned without a shell, in its own process group, with a clean
// environment and no descriptors except its three pipes. It dies with the gateway.
//
// Confined to the worker that spawned it (the parent-death signal is tied to that thread).
#pragma once

#include <sys/types.h>

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "async/one_shot.h"
#include "net/io/source.h"
#include "net/process/user.h"

namespace patchbay::net {

struct Program {
  std::string command;  // A path, or a name resolved in PATH of `environment`.
  std::vector<std::string> args;
  std::vector<std::string> environment;  // NAME=value, complete.
  std::string cwd;                       // Empty: the gateway's own.
  bool reads_input = true;               // Else its stdin is /dev/null.
  int handed_over = -1;                  // Becomes its descriptor 3.
  bool same_stdio = false;        // Inherits our stdin, stdout and stderr; there are no pipes.
  int pipe_size = 1 << 20;        // Most an ordinary user may have; 0: the system's choice.
  std::optional<User> user = {};  // The user it runs as; none: ours.
  // Processes that it starts end with it, even in another session: its environment contains a mark,
  // by which Orphans finds them.
  bool marked = false;
};

// How a program has ended.
struct Ending {
  int status = 0;  // Of exit(), or the signal.
  bool by_signal = false;

  std::string sentence() const;                                   // Such as "exited with status 1".
  int code() const { return by_signal ? 128 + status : status; }  // The exit code of a shell.
};

// The part of our environment that every child gets: kUsualVariables.
std::vector<std::string> usual_environment();

// Adds variable `name` of our environment, if it exists. From then on other programs cannot read it
// there (core/environment.h).
void pass_variable(const char* name, std::vector<std::string>& environment);

// Adds kNetworkVariables, except those whose value contains a password: a program gets that only if
// it is passed by name.
void pass_network_variables(std::vector<std::string>& environment);

// The variable that carries the mark of a program.
inline constexpr std::string_view kMarkVariable = "PATCHBAY_CHILD";

// The file that would be run: absolute, and with links resolved. Code::unavailable if there is
// none.
Result<std::string> find_program(const Program& program);

class Child final : Source::Waiter {
 public:
  // Code::unavailable, with the remedy, if the program cannot be started.
  static Result<std::unique_ptr<Child>> spawn(const Program& program);

  // Kills the whole group if it is still there.
  ~Child();

  // Whether a child with this mark is running. Callable on any thread.
  static bool is_living_mark(std::string_view mark);

  // Reaps one process below us that has exited and is no Child. False if there is none, or none
  // that can be reached before a Child reaps its own, which calls the listener. Callable on any
  // thread.
  static bool reap_other();

  // Called on the child's thread whenever one has been reaped. Empty: none.
  static void on_reaped(std::function<void()> notify);

  // Kills every child of the process and its group, at once. Callable on any thread, before an
  // immediate exit.
  static void kill_all();

  pid_t pid() const { return pid_; }

  // Our ends of its pipes. Taken by the code that communicates with it.
  Fd take_stdin() { return std::move(stdin_); }
  Fd take_stdout() { return std::move(stdout_); }
  Fd take_stderr() { return std::move(stderr_); }

  // Sends `signal` to the child and everything in its group.
  void signal(int signal) const;

  bool exited() const { return ending_.has_value(); }
  const std::optional<Ending>& ending() const { return ending_; }

  // Waits until the child has exited; yields a sentence such as "exited with status 1". Any number
  // of waits after each other, one at a time.
  Task<std::string> exit(Deadline deadline);

 private:
  Child(pid_t pid, std::string mark, Fd pidfd, Fd in, Fd out, Fd err);
  void on_ready() override;
  Ending reap();

  const pid_t pid_;
  const std::string mark_;  // Empty: none.
  Source pidfd_;
  Fd stdin_;
  Fd stdout_;
  Fd stderr_;
  std::optional<Ending> ending_;
  OneShot<void>* waiting_ = nullptr;
};

}  // namespace patchbay::net
