// What can be said about a sandbox for a program: what it may see, reach and use. The same words
// for an upstream's `sandbox: {…}` and for the command line.
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

// Everything about the sandbox but what is run in it. An Error says which setting cannot be
// followed. Looks at files: for start-up, and for threads that may wait a moment.
Result<Spec> spec_of(const Settings& settings, const std::vector<CgroupPath>& cgroups);

// A path from the root, where it was from the gateway's own folder.
std::string whole_path(const std::string& path);

// What is wrong with what `settings` say about the network, if anything is.
Result<void> check_egress(const Settings& settings);

// Puts the relay in front of what `spec` runs, if it has one.
void add_relay(Spec& spec);

// Puts the first process of a sandbox in front of what `spec` runs, and the relay before it.
void add_init(Spec& spec);

// patchbay-agent beside our own program, which is small and needs no library; else that one.
std::string helper_program();

// What a program in a sandbox has in its environment, beside what it is given.
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
