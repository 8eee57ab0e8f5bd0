// What can be said about an upstream that is a program on this machine.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "mcp_client/settings.h"
#include "sandbox/settings.h"

namespace patchbay::upstreams {

struct StdioSettings : McpSettings {
  // A program that has ended is noticed at once, and one that does one thing at a time must not be
  // disturbed.
  StdioSettings() { health.interval = config::Duration(0); }

  std::string command;
  std::vector<std::string> args;
  config::Dict<std::string> env;
  std::vector<std::string> env_pass;
  std::string cwd;
  std::string user;
  std::optional<sandbox::Settings> sandbox;
  int instances = 1;
  config::Duration stop_grace{2'000};
  config::Bytes line{16 << 20};
  config::Bytes outbox{16 << 20};
  int stderr_lines = 20;
};

}  // namespace patchbay::upstreams

namespace patchbay {

template <>
inline constexpr auto config::fields<upstreams::StdioSettings> = std::tuple_cat(
    std::tuple{
        Field{"command", &upstreams::StdioSettings::command,
              "The program to run: a path, or a name found in PATH. No shell is involved.",
              Required{}},
        Field{"args", &upstreams::StdioSettings::args, "Its arguments."},
        Field{"env", &upstreams::StdioSettings::env,
              "Variables of its environment, beside PATH, HOME, USER, LOGNAME, SHELL, TERM, LANG, "
              "LC_ALL, TMPDIR and TZ."},
        Field{"env_pass", &upstreams::StdioSettings::env_pass,
              "Names of further variables of the gateway's own environment that it gets."},
        Field{"cwd", &upstreams::StdioSettings::cwd,
              "The folder it runs in; empty: the gateway's."},
        Field{
            "user", &upstreams::StdioSettings::user,
            "The user that it runs as, by name or number, or USER:GROUP; only a gateway that runs "
            "as root can set it. Empty: the gateway's own, whose files it can read. Not together "
            "with sandbox."},
        Field{"sandbox", &upstreams::StdioSettings::sandbox,
              "Runs it in a sandbox: it sees and reaches what is named here and nothing else."},
        Field{"instances", &upstreams::StdioSettings::instances,
              "How many copies run; calls are spread over them.", Range{1, 64}},
        Field{"stop_grace", &upstreams::StdioSettings::stop_grace,
              "How long it gets to exit after its input is closed, and again after SIGTERM.",
              Range{Duration(10), Duration(3'600'000)}},
        Field{"line", &upstreams::StdioSettings::line,
              "The longest message it may send; a longer one ends it.",
              Range{Bytes{1024}, Bytes{1 << 30}}},
        Field{"outbox", &upstreams::StdioSettings::outbox,
              "What may wait for it when it does not read; beyond that, calls are refused.",
              Range{Bytes{1024}, Bytes{1 << 30}}},
        Field{"stderr_lines", &upstreams::StdioSettings::stderr_lines,
              "Lines of its stderr that are logged per second; the rest is counted and dropped.",
              Range{0, 10'000}},
    },
    upstreams::kMcpFields);

}  // namespace patchbay
