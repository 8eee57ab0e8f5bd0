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
  std::string env_file;  // Its variables are in `env` already (app/env_file.h).
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
              "Program to run: a path, or a name found in PATH. No shell is involved.", Required{}},
        Field{"args", &upstreams::StdioSettings::args, "Arguments of the program."},
        Field{"env", &upstreams::StdioSettings::env,
              "Environment variables, in addition to PATH, HOME, USER, LOGNAME, SHELL, TERM, LANG, "
              "LC_ALL, TMPDIR, TZ and, outside a sandbox, those for proxies and certificates: "
              "HTTP_PROXY, HTTPS_PROXY, ALL_PROXY, NO_PROXY (also in lower case; not if they "
              "contain a password), SSL_CERT_FILE, SSL_CERT_DIR, NODE_EXTRA_CA_CERTS, "
              "REQUESTS_CA_BUNDLE and CURL_CA_BUNDLE."},
        Field{"env_file", &upstreams::StdioSettings::env_file,
              "File with further variables, one NAME=value on each line; `env` overrides it. A "
              "relative path is relative to the folder of the configuration."},
        Field{"env_pass", &upstreams::StdioSettings::env_pass,
              "Names of further variables to pass from the gateway's environment."},
        Field{"cwd", &upstreams::StdioSettings::cwd, "Working directory. Empty: the gateway's."},
        Field{"user", &upstreams::StdioSettings::user,
              "User to run as, by name or number, or USER:GROUP; requires a gateway that runs as "
              "root. Empty: the gateway's own user, whose files the program can read. Excludes "
              "`sandbox`."},
        Field{"sandbox", &upstreams::StdioSettings::sandbox,
              "Sandbox for the program: it can access only what is listed here."},
        Field{"instances", &upstreams::StdioSettings::instances,
              "Number of processes. Calls are distributed over them.", Range{1, 64}},
        Field{"stop_timeout", &upstreams::StdioSettings::stop_grace,
              "Maximum time to exit after stdin is closed, and again after SIGTERM.",
              Range{Duration(10), Duration(3'600'000)}, Alias{"stop_grace"}},
        Field{"max_message_size", &upstreams::StdioSettings::line,
              "Maximum size of a message from the program. A larger one ends it.",
              Range{Bytes{1024}, Bytes{1 << 30}}, Alias{"line"}},
        Field{"max_outbox_size", &upstreams::StdioSettings::outbox,
              "Maximum size of the data queued for a program that does not read. Beyond it, calls "
              "are refused.",
              Range{Bytes{1024}, Bytes{1 << 30}}, Alias{"outbox"}},
        Field{"max_stderr_lines", &upstreams::StdioSettings::stderr_lines,
              "Maximum number of stderr lines logged per second. Further lines are counted and "
              "dropped.",
              Range{0, 10'000}, Alias{"stderr_lines"}},
    },
    upstreams::kMcpFields);

}  // namespace patchbay
