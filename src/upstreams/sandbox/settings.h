// The settings of an upstream that provides sandboxes. Values only.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "config/settings.h"
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
const config::Fields& config::fields<upstreams::SandboxLimits>();

template <>
const config::Fields& config::fields<upstreams::SandboxPoolSettings>();

template <>
const config::Fields& config::fields<upstreams::MicrovmSettings>();

template <>
const config::Fields& config::fields<upstreams::RemoteAgentSettings>();

template <>
const config::Fields& config::fields<upstreams::SandboxSettings>();

}  // namespace patchbay
