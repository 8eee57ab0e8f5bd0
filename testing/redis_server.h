// A redis-server of its own for a test: on a port that the system has chosen, without files.
//
// Calls block. Confined to one thread.
#pragma once

#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "net/io/socket.h"

extern char** environ;

namespace patchbay::testing {

class RedisServer {
 public:
  // None: there is no program to run.
  static std::optional<std::string> program() {
    for (const auto* const name : {"/usr/bin/valkey-server", "/usr/bin/redis-server"}) {
      if (std::filesystem::exists(name)) return name;
    }
    return std::nullopt;
  }

  // REQUIRES: there is a program.
  RedisServer() : port_(free_port()) { start(); }
  ~RedisServer() { stop(); }
  RedisServer(const RedisServer&) = delete;
  RedisServer& operator=(const RedisServer&) = delete;

  std::string url() const { return "redis://127.0.0.1:" + std::to_string(port_); }

  void start() {
    const std::string port = std::to_string(port_);
    std::vector<std::string> args{*program(),  "--port",    port,       "--bind",
                                  "127.0.0.1", "--save",    "",         "--appendonly",
                                  "no",        "--dir",     "/tmp",     "--loglevel",
                                  "warning",   "--logfile", "/dev/null"};
    std::vector<char*> argv;
    for (auto& arg : args) argv.push_back(arg.data());
    argv.push_back(nullptr);
    // Nothing of the test may wait for the end of a server that has outlived it.
    posix_spawn_file_actions_t files;
    ::posix_spawn_file_actions_init(&files);
    for (const int fd : {0, 1, 2}) {
      ::posix_spawn_file_actions_addopen(&files, fd, "/dev/null", O_RDWR, 0);
    }
    ::posix_spawn(&child_, argv[0], &files, nullptr, argv.data(), environ);
    ::posix_spawn_file_actions_destroy(&files);
    while (command("PING") != "+PONG\r\n") {
    }
  }

  void stop() {
    if (child_ <= 0) return;
    ::kill(child_, SIGKILL);
    ::waitpid(child_, nullptr, 0);
    child_ = -1;
  }

  // Sends one line, and yields the beginning of what is answered.
  std::string command(const std::string& line) const {
    const int fd = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    const auto address = *net::parse_address("127.0.0.1:" + std::to_string(port_));
    std::string answer;
    if (::connect(fd, reinterpret_cast<const sockaddr*>(&address.storage), address.size) == 0) {
      const std::string text = line + "\r\n";
      if (::write(fd, text.data(), text.size()) > 0) {
        std::array<char, 4096> got;
        const auto size = ::read(fd, got.data(), got.size());
        if (size > 0) answer.assign(got.data(), static_cast<std::size_t>(size));
      }
    }
    ::close(fd);
    return answer;
  }

 private:
  static int free_port() {
    auto fd = net::listen_on(*net::parse_address("127.0.0.1:0"), false);
    return net::local_address(fd->get())->port();
  }

  const int port_;
  pid_t child_ = -1;
};

}  // namespace patchbay::testing
