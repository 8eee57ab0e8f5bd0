// The settings of a sandbox for a program: what it may see, connect to and use. The same for an
// upstream's `sandbox: {…}` and for the command line.
//
// Values only.
#pragma once

#include <string>
#include <vector>

#include "sandbox/egress.h"
#include "sandbox/limits.h"
#include "sandbox/spec.h"

namespace patchbay::sandbox {

enum class Network : std::uint8_t { none, host };

struct Settings {
  std::vector<std::string> read;
  std::vector<std::string> write;
  Network network = Network::none;
  std::vector<std::string> egress;
  EgressLimits egress_limits;
  std::string root;
  std::string user;
  std::string bwrap = "bwrap";
  Limits limits;
};

// Everything about the sandbox except the program. An Error names the setting that is invalid.
// Reads files: for start-up, and for threads that may block for a moment.
Result<Spec> spec_of(const Settings& settings, const std::vector<CgroupPath>& cgroups);

// Makes a path absolute; it was relative to the gateway's working directory.
std::string whole_path(const std::string& path);

// What is wrong with the network settings, if anything.
Result<void> check_egress(const Settings& settings);

// Prepends the relay to the command of `spec`, if it has one.
void add_relay(Spec& spec);

// Prepends the first process of a sandbox to the command of `spec`, after the relay.
void add_init(Spec& spec);

// patchbay-agent beside our own program, which is small and needs no library; else our own program.
std::string helper_program();

// The environment of a program in a sandbox, besides the configured variables.
std::vector<std::pair<std::string, std::string>> usual_environment();

}  // namespace patchbay::sandbox

namespace patchbay {

template <>
inline constexpr auto config::choices<sandbox::Network> = std::array{
    Choice{"none", sandbox::Network::none},
    Choice{"host", sandbox::Network::host},
};

template <>
inline constexpr auto config::fields<sandbox::Settings> = std::tuple{
    Field{"read", &sandbox::Settings::read,
          "Files and folders of the machine that are visible read-only, at the same path."},
    Field{"write", &sandbox::Settings::write,
          "Files and folders of the machine that are visible and writable, at the same path."},
    Field{"network", &sandbox::Settings::network,
          "none: only a private loopback. host: the machine's network."},
    Field{"egress", &sandbox::Settings::egress,
          "Destinations reachable through a proxy of the gateway, without a network: host:port, "
          "host (443 and 80), *.domain. Addresses of this machine and of private networks are "
          "reachable only if an entry is that address."},
    Field{"egress_limits", &sandbox::Settings::egress_limits,
          "Limits of the connections through that proxy."},
    Field{"root", &sandbox::Settings::root,
          "Folder with another system's /usr, /bin, /lib…. Empty: the programs of this machine."},
    Field{"user", &sandbox::Settings::user,
          "User outside the sandbox, by name or number, if the gateway runs as root. Empty: one "
          "that owns nothing."},
    Field{"bwrap", &sandbox::Settings::bwrap,
          "Program bubblewrap: a path, or a name found in PATH."},
    Field{"limits", &sandbox::Settings::limits, "Resource limits."},
};

}  // namespace patchbay
