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
        Field{"wall", &upstreams::SandboxLimits::wall,
              "How long a program may run if its caller says nothing.",
              Range{Duration(10), Duration(86'400'000)}},
        Field{"wall_most", &upstreams::SandboxLimits::wall_most,
              "How long a caller may let one run.", Range{Duration(10), Duration(86'400'000)}},
        Field{"grace", &upstreams::SandboxLimits::grace,
              "How long one whose time is up has from SIGTERM to SIGKILL.",
              Range{Duration(0), Duration(60'000)}},
        Field{"output", &upstreams::SandboxLimits::output,
              "What is kept of each output of a program; it may write on.",
              Range{Bytes{1024}, Bytes{16 << 20}}},
    });

template <>
inline constexpr auto config::fields<upstreams::SandboxPoolSettings> = std::tuple{
    Field{"size", &upstreams::SandboxPoolSettings::size,
          "Sandboxes that are ready before anybody asks.", Range{0, 1'000}},
    Field{"starts", &upstreams::SandboxPoolSettings::starts, "How many are started at once.",
          Range{1, 64}},
};

template <>
inline constexpr auto config::fields<upstreams::MicrovmSettings> = std::tuple{
    Field{"socket", &upstreams::MicrovmSettings::socket,
          "The machine's Unix socket. With a command, {folder} in it is a folder of its own for "
          "each machine; without, the machine runs already and all sandboxes are on it."},
    Field{"command", &upstreams::MicrovmSettings::command,
          "The program that runs one machine, until it is ended."},
    Field{"args", &upstreams::MicrovmSettings::args,
          "Its arguments; {folder}, {socket}, {memory_mib} and {vcpus} stand for what they say."},
    Field{"token", &upstreams::MicrovmSettings::token,
          "What the agent is shown first, if it asks for a token."},
    Field{"port", &upstreams::MicrovmSettings::port, "Where the agent listens in the machine.",
          Range{1, 2'147'483'647}},
};

template <>
inline constexpr auto config::fields<upstreams::RemoteAgentSettings> = std::tuple{
    Field{"address", &upstreams::RemoteAgentSettings::address, "Where the agent is: host:port."},
    Field{"token", &upstreams::RemoteAgentSettings::token,
          "What it is shown first, if it asks for a token."},
    Field{"secure", &upstreams::RemoteAgentSettings::secure,
          "Whether it is reached over TLS; without, only on this machine."},
    Field{"tls", &upstreams::RemoteAgentSettings::tls, "How it is trusted then."},
};

template <>
inline constexpr auto config::fields<upstreams::SandboxSettings> = std::tuple{
    Field{"engine", &upstreams::SandboxSettings::engine,
          "What keeps programs apart: bubblewrap (namespaces), microvm, remote (an agent "
          "elsewhere), or none."},
    Field{"allow_none", &upstreams::SandboxSettings::allow_none,
          "Lets `engine: none` run programs with nothing around them, as the gateway's own user."},
    Field{"limits", &upstreams::SandboxSettings::limits, "What each sandbox may use."},
    Field{"ttl", &upstreams::SandboxSettings::ttl,
          "How long a sandbox that nobody uses is kept, if its maker says nothing.",
          Range{Duration(1'000), Duration(604'800'000)}},
    Field{"ttl_most", &upstreams::SandboxSettings::ttl_most, "How long its maker may have it kept.",
          Range{Duration(1'000), Duration(604'800'000)}},
    Field{"most", &upstreams::SandboxSettings::most, "Sandboxes of all callers at once.",
          Range{1, 10'000}},
    Field{"most_each", &upstreams::SandboxSettings::most_each, "Those of one caller.",
          Range{1, 10'000}},
    Field{"pool", &upstreams::SandboxSettings::pool, "Sandboxes that wait for a caller."},
    Field{"start_time", &upstreams::SandboxSettings::start_time, "How long one may take to start.",
          Range{Duration(10), Duration(600'000)}},
    Field{"content", &upstreams::SandboxSettings::content,
          "The largest content of a file that is read or written at once.",
          Range{Bytes{1024}, Bytes{1 << 30}}},
    Field{"command", &upstreams::SandboxSettings::command, "The longest command or code.",
          Range{Bytes{64}, Bytes{64 << 20}}},
    Field{"entries", &upstreams::SandboxSettings::entries, "The most entries of a folder listed.",
          Range{1, 1'000'000}},
    Field{"file_threads", &upstreams::SandboxSettings::file_threads,
          "Threads that read and write files of sandboxes.", Range{1, 64}},
    Field{"agent", &upstreams::SandboxSettings::agent,
          "The program that runs inside; empty: patchbay-agent beside the gateway's own program, "
          "else that one itself."},
    Field{"read", &upstreams::SandboxSettings::read,
          "Files and folders of the machine that all sandboxes see, and cannot change."},
    Field{"network", &upstreams::SandboxSettings::network,
          "none: no network but a loopback of its own; host: all that the machine reaches."},
    Field{"egress", &upstreams::SandboxSettings::egress,
          "Destinations that sandboxes reach through a proxy of the gateway, without a network: "
          "host:port, host (443 and 80), *.domain. Addresses of this machine and of private "
          "networks only where an entry is that address."},
    Field{"egress_limits", &upstreams::SandboxSettings::egress_limits,
          "Bounds on the connections of each sandbox through that proxy."},
    Field{"root", &upstreams::SandboxSettings::root,
          "A folder with another system's /usr, /bin, /lib…; empty: the programs of this machine."},
    Field{"bwrap", &upstreams::SandboxSettings::bwrap,
          "The program bubblewrap: a path, or a name found in PATH."},
    Field{"microvm", &upstreams::SandboxSettings::microvm, "For `engine: microvm`."},
    Field{"remote", &upstreams::SandboxSettings::remote, "For `engine: remote`."},
};

}  // namespace patchbay
