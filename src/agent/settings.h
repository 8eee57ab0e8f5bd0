// The settings of the agent. The table is its command line and its documentation.
//
// Values only.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace patchbay::agent {

// Of the agent, by convention of the hosts that start it.
inline constexpr unsigned kUsualPort = 52;

struct Settings {
  std::vector<std::string> listen;  // stdio, unix:PATH, tcp:ADDR, vsock:PORT.
  std::string root;
  std::string token_file;
  bool null_id = false;
  bool guard = false;
  std::uint64_t max_line = 16 << 20;
  std::uint64_t max_output = 1 << 20;
  std::uint64_t max_file = 10 << 20;
  std::uint64_t max_entries = 100'000;
  std::uint64_t max_outbox = 16 << 20;
  std::uint64_t max_requests = 64;
  std::uint64_t max_connections = 64;
  std::uint64_t max_commands = 128;
  std::uint64_t max_processes = 64;
  std::uint64_t max_seconds = 86'400;
  std::uint64_t linger_seconds = 30;
  std::uint64_t token_seconds = 10;
  std::uint64_t file_threads = 4;
};

inline constexpr std::uint64_t kMostNumber = std::uint64_t{1} << 40;
inline constexpr std::uint64_t kMostSeconds = 1'000'000'000;  // In nanoseconds, still a number.
inline constexpr std::uint64_t kMostThreads = 256;

struct NumberOption {
  std::string_view name;
  std::uint64_t Settings::* value;
  std::uint64_t least;
  std::string_view meaning;
  std::uint64_t most = kMostNumber;
};

inline constexpr std::array kNumberOptions{
    NumberOption{"--max-line", &Settings::max_line, 1024, "Bytes of the longest request."},
    NumberOption{"--max-output", &Settings::max_output, 1,
                 "Bytes returned of each output of a command."},
    NumberOption{"--max-file", &Settings::max_file, 1,
                 "Bytes of a file that one request may read."},
    NumberOption{"--max-entries", &Settings::max_entries, 1, "Names in a listed folder."},
    NumberOption{"--max-outbox", &Settings::max_outbox, 1024,
                 "Unsent bytes for a peer before its commands are paused."},
    NumberOption{"--max-requests", &Settings::max_requests, 1, "Requests of a connection at once."},
    NumberOption{"--max-connections", &Settings::max_connections, 1, "Connections at once."},
    NumberOption{"--max-commands", &Settings::max_commands, 1, "Commands running at once."},
    NumberOption{"--max-processes", &Settings::max_processes, 1,
                 "Background processes, finished ones included."},
    NumberOption{"--max-seconds", &Settings::max_seconds, 1, "Seconds after which a command ends.",
                 kMostSeconds},
    NumberOption{"--linger-seconds", &Settings::linger_seconds, 0,
                 "Seconds to finish the requests of a peer that may have disconnected.",
                 kMostSeconds},
    NumberOption{"--token-seconds", &Settings::token_seconds, 1,
                 "Seconds in which a peer must present the token.", kMostSeconds},
    NumberOption{"--file-threads", &Settings::file_threads, 1, "Threads for file operations.",
                 kMostThreads},
};

inline constexpr std::string_view kListenMeaning =
    "stdio, unix:PATH, tcp:ADDR or vsock:PORT; may be given several times (stdio).";
inline constexpr std::string_view kRootMeaning =
    "A folder that file requests may not leave. Commands are not confined by it.";
inline constexpr std::string_view kGuardMeaning =
    "In a sandbox: hide the agent's memory from commands, and let them write only to its folders.";
inline constexpr std::string_view kTokenMeaning =
    "A file with a token that peers must present first; required for tcp.";
inline constexpr std::string_view kNullIdMeaning =
    "Answer requests without a readable id with null instead of 0.";

}  // namespace patchbay::agent
