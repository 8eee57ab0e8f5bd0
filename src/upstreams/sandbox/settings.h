// The settings of an upstream that provides sandboxes. Values only.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "config/fields.h"
#include "mcp_client/connect/http_settings.h"
#include "sandbox/settings.h"

namespace patchbay::upstreams {

enum class SandboxEngine : std::uint8_t { bubblewrap, microvm, remote, none };

// Limits of a caller's sandbox, in addition to those of any sandboxed program.
struct SandboxLimits : sandbox::Limits {
  SandboxLimits() { cpu_time = config::Duration(300'000); }
  config::Duration wall{30'000};
  config::Duration wall_most{300'000};
  config::Duration grace{2'000};
  config::Bytes output{1 << 20};
};

struct SandboxPoolSettings {
  int size = 1;
  int starts = 2;
};

struct MicrovmSettings {
  std::string socket;
  std::string command;
  std::vector<std::string> args;
  int port = 52;
  std::string token;
};

struct RemoteAgentSettings {
  std::string address;
  std::string token;
  bool secure = false;
  TlsSettings tls;
};

struct SandboxSettings {
  SandboxEngine engine = SandboxEngine::bubblewrap;
  bool allow_none = false;
  SandboxLimits limits;
  config::Duration ttl{600'000};
  config::Duration ttl_most{86'400'000};
  int most = 64;
  int most_each = 16;
  SandboxPoolSettings pool;
  config::Duration start_time{10'000};
  config::Bytes content{10 << 20};
  config::Bytes command{1 << 20};
  int entries = 10'000;
  int file_threads = 4;
  std::string agent;
  std::vector<std::string> read;
  sandbox::Network network = sandbox::Network::none;
  std::vector<std::string> egress;
  sandbox::EgressLimits egress_limits;
  std::string root;
  std::string bwrap = "bwrap";
  MicrovmSettings microvm;
  RemoteAgentSettings remote;
};

}  // namespace patchbay::upstreams

namespace patchbay {

template <>
inline constexpr auto config::choices<upstreams::SandboxEngine> = std::array{
    Choice{"bubblewrap", upstreams::SandboxEngine::bubblewrap},
    Choice{"microvm", upstreams::SandboxEngine::microvm},
    Choice{"remote", upstreams::SandboxEngine::remote},
    Choice{"none", upstreams::SandboxEngine::none},
};

template <>
inline constexpr auto config::fields<upstreams::SandboxLimits> = std::tuple_cat(
    config::fields<sandbox::Limits>,
    std::tuple{
        Field{"default_timeout", &upstreams::SandboxLimits::wall,
              "Maximum duration of a program, unless the caller sets one.",
              Range{Duration(10), Duration(86'400'000)}, Alias{"wall"}},
        Field{"max_timeout", &upstreams::SandboxLimits::wall_most,
              "Maximum duration that a caller may set.", Range{Duration(10), Duration(86'400'000)},
              Alias{"wall_most"}},
        Field{"stop_timeout", &upstreams::SandboxLimits::grace,
              "Time between SIGTERM and SIGKILL for a program that exceeded its duration.",
              Range{Duration(0), Duration(60'000)}, Alias{"grace"}},
        Field{"max_output_size", &upstreams::SandboxLimits::output,
              "Maximum size stored of each output of a program. The program may write more.",
              Range{Bytes{1024}, Bytes{16 << 20}}, Alias{"output"}},
    });

template <>
inline constexpr auto config::fields<upstreams::SandboxPoolSettings> = std::tuple{
    Field{"size", &upstreams::SandboxPoolSettings::size, "Number of sandboxes started in advance.",
          Range{0, 1'000}},
    Field{"max_concurrent_starts", &upstreams::SandboxPoolSettings::starts,
          "Maximum number of sandboxes starting at the same time.", Range{1, 64}, Alias{"starts"}},
};

template <>
inline constexpr auto config::fields<upstreams::MicrovmSettings> = std::tuple{
    Field{"socket", &upstreams::MicrovmSettings::socket,
          "Unix socket of the machine. With a command, {folder} in it is a separate folder for "
          "each machine. Without one, the machine already runs and hosts all sandboxes."},
    Field{"command", &upstreams::MicrovmSettings::command,
          "Program that runs one machine until it is stopped."},
    Field{"args", &upstreams::MicrovmSettings::args,
          "Arguments of the program; {folder}, {socket}, {memory_mib} and {vcpus} are replaced."},
    Field{"token", &upstreams::MicrovmSettings::token,
          "Token sent to the agent first, if it requires one."},
    Field{"port", &upstreams::MicrovmSettings::port, "Port of the agent in the machine.",
          Range{1, 2'147'483'647}},
};

template <>
inline constexpr auto config::fields<upstreams::RemoteAgentSettings> = std::tuple{
    Field{"address", &upstreams::RemoteAgentSettings::address, "Address of the agent: host:port."},
    Field{"token", &upstreams::RemoteAgentSettings::token,
          "Token sent first, if the agent requires one."},
    Field{"secure", &upstreams::RemoteAgentSettings::secure,
          "Whether the connection uses TLS. Without TLS, the agent must be on this machine."},
    Field{"tls", &upstreams::RemoteAgentSettings::tls, "TLS settings of the connection."},
};

template <>
inline constexpr auto config::fields<upstreams::SandboxSettings> = std::tuple{
    Field{"engine", &upstreams::SandboxSettings::engine,
          "Isolation: bubblewrap (namespaces), microvm, remote (an agent elsewhere), or none."},
    Field{
        "allow_none", &upstreams::SandboxSettings::allow_none,
        "Allows `engine: none`, which runs programs without isolation, as the gateway's own user."},
    Field{"limits", &upstreams::SandboxSettings::limits, "Limits of each sandbox."},
    Field{"ttl", &upstreams::SandboxSettings::ttl,
          "How long an unused sandbox is retained, unless its creator sets a time.",
          Range{Duration(1'000), Duration(604'800'000)}},
    Field{"max_ttl", &upstreams::SandboxSettings::ttl_most, "Maximum ttl that the creator may set.",
          Range{Duration(1'000), Duration(604'800'000)}, Alias{"ttl_most"}},
    Field{"max_sandboxes", &upstreams::SandboxSettings::most,
          "Maximum number of sandboxes of all callers.", Range{1, 10'000}, Alias{"most"}},
    Field{"max_sandboxes_per_caller", &upstreams::SandboxSettings::most_each,
          "Maximum number of sandboxes per caller.", Range{1, 10'000}, Alias{"most_each"}},
    Field{"pool", &upstreams::SandboxSettings::pool, "Sandboxes started in advance."},
    Field{"start_timeout", &upstreams::SandboxSettings::start_time,
          "Maximum time to start a sandbox.", Range{Duration(10), Duration(600'000)},
          Alias{"start_time"}},
    Field{"max_content_size", &upstreams::SandboxSettings::content,
          "Maximum size of file content per read or write.", Range{Bytes{1024}, Bytes{1 << 30}},
          Alias{"content"}},
    Field{"max_command_size", &upstreams::SandboxSettings::command,
          "Maximum size of a command or of code.", Range{Bytes{64}, Bytes{64 << 20}},
          Alias{"command"}},
    Field{"max_entries", &upstreams::SandboxSettings::entries,
          "Maximum number of folder entries listed.", Range{1, 1'000'000}, Alias{"entries"}},
    Field{"file_threads", &upstreams::SandboxSettings::file_threads,
          "Number of threads that read and write files of sandboxes.", Range{1, 64}},
    Field{"agent", &upstreams::SandboxSettings::agent,
          "Agent program inside the sandbox. Empty: patchbay-agent next to the gateway's program, "
          "else the gateway's program itself."},
    Field{"read", &upstreams::SandboxSettings::read,
          "Files and folders of the machine that are visible read-only in all sandboxes."},
    Field{"network", &upstreams::SandboxSettings::network,
          "none: only a private loopback. host: the machine's network."},
    Field{"egress", &upstreams::SandboxSettings::egress,
          "Destinations reachable through a proxy of the gateway, without a network: host:port, "
          "host (443 and 80), *.domain. Addresses of this machine and of private networks are "
          "reachable only if an entry is that address."},
    Field{"egress_limits", &upstreams::SandboxSettings::egress_limits,
          "Limits of the connections of each sandbox through that proxy."},
    Field{"root", &upstreams::SandboxSettings::root,
          "Folder with another system's /usr, /bin, /lib…. Empty: the programs of this machine."},
    Field{"bwrap", &upstreams::SandboxSettings::bwrap,
          "Program bubblewrap: a path, or a name found in PATH."},
    Field{"microvm", &upstreams::SandboxSettings::microvm, "Settings of `engine: microvm`."},
    Field{"remote", &upstreams::SandboxSettings::remote, "Settings of `engine: remote`."},
};

}  // namespace patchbay
