// What can be said about an upstream that is a program on this machine.
#pragma once

#include <string>
#include <vector>

#include "config/fields.h"

namespace patchbay::upstreams {

struct RestartSettings {
  config::Duration first{100};
  config::Duration most{30'000};
  int breaker = 5;
  config::Duration window{60'000};
};

struct StdioSettings {
  std::string command;
  std::vector<std::string> args;
  config::Dict<std::string> env;
  std::vector<std::string> env_pass;
  std::string cwd;
  int instances = 1;
  config::Duration timeout{0};
  config::Duration start_time{30'000};
  config::Duration stop_grace{2'000};
  RestartSettings restart;
  config::Bytes line{16 << 20};
  config::Bytes outbox{16 << 20};
  int stderr_lines = 20;
};

}  // namespace patchbay::upstreams

namespace patchbay {

template <>
inline constexpr auto config::fields<upstreams::RestartSettings> = std::tuple{
    Field{"first", &upstreams::RestartSettings::first,
          "The wait before the first restart; it doubles with each further exit.",
          Range{Duration(1), Duration(60'000)}},
    Field{"most", &upstreams::RestartSettings::most, "The longest wait before a restart.",
          Range{Duration(1), Duration(3'600'000)}},
    Field{"breaker", &upstreams::RestartSettings::breaker,
          "After this many exits within the window, calls fail at once and restarts come at the "
          "longest wait.",
          Range{1, 1'000'000}},
    Field{"window", &upstreams::RestartSettings::window, "The span in which exits are counted.",
          Range{Duration(1'000), Duration(86'400'000)}},
};

template <>
inline constexpr auto config::fields<upstreams::StdioSettings> = std::tuple{
    Field{"command", &upstreams::StdioSettings::command,
          "The program to run: a path, or a name found in PATH. No shell is involved.", Required{}},
    Field{"args", &upstreams::StdioSettings::args, "Its arguments."},
    Field{"env", &upstreams::StdioSettings::env,
          "Variables of its environment, beside PATH, HOME, USER, LOGNAME, SHELL, TERM, LANG, "
          "LC_ALL, TMPDIR and TZ."},
    Field{"env_pass", &upstreams::StdioSettings::env_pass,
          "Names of further variables of the gateway's own environment that it gets."},
    Field{"cwd", &upstreams::StdioSettings::cwd, "The folder it runs in; empty: the gateway's."},
    Field{"instances", &upstreams::StdioSettings::instances,
          "How many copies run; calls are spread over them.", Range{1, 64}},
    Field{"timeout", &upstreams::StdioSettings::timeout,
          "The longest a call to it may take; 0: limits.call.",
          Range{Duration(0), Duration(86'400'000)}},
    Field{"start_time", &upstreams::StdioSettings::start_time,
          "How long it may take to answer the handshake and list its tools.",
          Range{Duration(100), Duration(600'000)}},
    Field{"stop_grace", &upstreams::StdioSettings::stop_grace,
          "How long it gets to exit after its input is closed, and again after SIGTERM.",
          Range{Duration(10), Duration(3'600'000)}},
    Field{"restart", &upstreams::StdioSettings::restart, "How it comes back after an exit."},
    Field{"line", &upstreams::StdioSettings::line,
          "The longest message it may send; a longer one ends it.",
          Range{Bytes{1024}, Bytes{1 << 30}}},
    Field{"outbox", &upstreams::StdioSettings::outbox,
          "What may wait for it when it does not read; beyond that, calls are refused.",
          Range{Bytes{1024}, Bytes{1 << 30}}},
    Field{"stderr_lines", &upstreams::StdioSettings::stderr_lines,
          "Lines of its stderr that are logged per second; the rest is counted and dropped.",
          Range{0, 10'000}},
};

}  // namespace patchbay
