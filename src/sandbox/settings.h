// The settings of a sandbox for a program: what it may access, connect to and use. An upstream's
// `sandbox: {…}` and the command line have the same.
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

// The fault of the network settings, if there is one.
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
const config::Fields& config::fields<sandbox::Settings>();

}  // namespace patchbay
