// Times the guest agent beside its minimum cost: `exec` of `true` beside posix_spawn and wait of
// the same shell; a flood of output beside a loop that reads the same pipe. Prints one JSON object:
// medians of alternated rounds.
//
//   agent AGENT ROUNDS COMMANDS MEGABYTES
#include <fcntl.h>
#include <fmt/format.h>
#include <spawn.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

extern char** environ;

namespace {

using Clock = std::chrono::steady_clock;

[[noreturn]] void die(const char* what) {
  std::perror(what);
  std::exit(1);
}

pid_t spawn(std::vector<const char*> args, const posix_spawn_file_actions_t* actions = nullptr) {
  args.push_back(nullptr);
  pid_t pid = 0;
  if (::posix_spawnp(&pid, args[0], actions, nullptr, const_cast<char**>(args.data()), environ)) {
    die(args[0]);
  }
  return pid;
}

void wait_for(pid_t pid) { ::waitpid(pid, nullptr, 0); }

double seconds_of(const std::function<void()>& work) {
  const auto begin = Clock::now();
  work();
  return std::chrono::duration<double>(Clock::now() - begin).count();
}

double median(std::vector<double> figures) {
  std::ranges::sort(figures);
  return figures[figures.size() / 2];
}

// An agent on a Unix socket, and a connection to it.
class Agent {
 public:
  explicit Agent(const char* program) : path_(fmt::format("/tmp/bench-agent-{}.sock", ::getpid())) {
    begun_ = Clock::now();
    pid_ = spawn({program, "--listen", ("unix:" + path_).c_str()});
    sockaddr_un address{};
    address.sun_family = AF_UNIX;
    std::memcpy(address.sun_path, path_.data(), path_.size());
    fd_ = ::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
    while (::connect(fd_, reinterpret_cast<sockaddr*>(&address), sizeof address) != 0) {
      if (Clock::now() - begun_ > std::chrono::seconds(10)) die("connect");
      ::usleep(100);
    }
    ask(R"({"jsonrpc":"2.0","id":1,"method":"ping"})");
    first_answer_ = std::chrono::duration<double>(Clock::now() - begun_).count();
  }
  ~Agent() {
    ::close(fd_);
    ::kill(pid_, SIGTERM);
    wait_for(pid_);
  }
  Agent(const Agent&) = delete;
  Agent& operator=(const Agent&) = delete;

  // Sends a line and waits for one.
  std::string ask(std::string line) {
    line += '\n';
    if (::write(fd_, line.data(), line.size()) < 0) die("write");
    std::string answer;
    char bytes[64 * 1024];
    while (!answer.ends_with('\n')) {
      const ssize_t n = ::read(fd_, bytes, sizeof bytes);
      if (n <= 0) die("read");
      answer.append(bytes, static_cast<std::size_t>(n));
    }
    return answer;
  }

  void exec(const std::string& command, std::string_view options = "") {
    const auto answer =
        ask(fmt::format(R"({{"jsonrpc":"2.0","id":2,"method":"exec","params":{{"cmd":"{}"{}}}}})",
                        command, options));
    if (answer.find("\"exit_code\":0,") == std::string::npos) {
      fmt::print(stderr, "{}", answer.substr(0, 1000));
      std::exit(1);
    }
  }

  double first_answer() const { return first_answer_; }

  long peak_kib() const {
    std::ifstream status(fmt::format("/proc/{}/status", pid_));
    for (std::string line; std::getline(status, line);) {
      if (line.starts_with("VmHWM:")) return std::atol(line.c_str() + 6);
    }
    return 0;
  }

 private:
  const std::string path_;
  Clock::time_point begun_;
  double first_answer_ = 0;
  pid_t pid_ = 0;
  int fd_ = -1;
};

// The same output through a pipe that is read in pieces of the same size.
void read_bare(const std::string& command) {
  int ends[2];
  if (::pipe2(ends, O_CLOEXEC) != 0) die("pipe");
  posix_spawn_file_actions_t actions;
  ::posix_spawn_file_actions_init(&actions);
  ::posix_spawn_file_actions_adddup2(&actions, ends[1], STDOUT_FILENO);
  const pid_t pid = spawn({"sh", "-c", command.c_str()}, &actions);
  ::posix_spawn_file_actions_destroy(&actions);
  ::close(ends[1]);
  char bytes[64 * 1024];
  while (::read(ends[0], bytes, sizeof bytes) > 0) {
  }
  ::close(ends[0]);
  wait_for(pid);
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 5) {
    fmt::print(stderr, "usage: agent AGENT ROUNDS COMMANDS MEGABYTES\n");
    return 2;
  }
  const int rounds = std::atoi(argv[2]);
  const int commands = std::atoi(argv[3]);
  const int megabytes = std::atoi(argv[4]);
  Agent agent(argv[1]);
  const auto flood = fmt::format("dd if=/dev/zero bs=1M count={} 2>/dev/null", megabytes);
  std::vector<double> bare;
  std::vector<double> through;
  std::vector<double> bare_flood;
  std::vector<double> through_flood;
  std::vector<double> ends_flood;
  constexpr std::string_view kEnds = R"(,"keep":"ends")";
  agent.exec("dd if=/dev/zero bs=1M count=8 2>/dev/null", kEnds);
  const long before = agent.peak_kib();
  for (int round = 0; round < rounds; ++round) {
    // One of each in turn, so that other load on the machine affects both.
    for (int i = 0; i < commands; ++i) {
      bare.push_back(seconds_of([&] { wait_for(spawn({"sh", "-c", "true"})); }));
      through.push_back(seconds_of([&] { agent.exec("true"); }));
    }
    bare_flood.push_back(seconds_of([&] { read_bare(flood); }));
    through_flood.push_back(seconds_of([&] { agent.exec(flood); }));
    ends_flood.push_back(seconds_of([&] { agent.exec(flood, kEnds); }));
  }
  const double megas = megabytes * 1.048576;
  fmt::print(R"({{"spawn_us":{:.1f},"exec_us":{:.1f},"read_mb_s":{:.0f},"drain_mb_s":{:.0f},)"
             R"("ends_mb_s":{:.0f},"growth_kib":{},"peak_kib":{},"first_answer_ms":{:.2f}}})"
             "\n",
             median(bare) * 1e6, median(through) * 1e6, megas / median(bare_flood),
             megas / median(through_flood), megas / median(ends_flood), agent.peak_kib() - before,
             agent.peak_kib(), agent.first_answer() * 1e3);
}
