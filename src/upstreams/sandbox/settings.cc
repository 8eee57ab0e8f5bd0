#include "upstreams/sandbox/settings.h"

#include "config/fields.h"

namespace patchbay {

template <>
const config::Fields& config::fields<upstreams::SandboxLimits>() {
  static const Fields kFields =
      join({inherited<upstreams::SandboxLimits, sandbox::Limits>(),
            fields_of<upstreams::SandboxLimits>({
                {"default_timeout", &upstreams::SandboxLimits::wall,
                 "Maximum duration of a program, unless the caller sets one.",
                 Range{Duration(10), Duration(86'400'000)}, Alias{"wall"}},
                {"max_timeout", &upstreams::SandboxLimits::wall_most,
                 "Maximum duration that a caller may set.",
                 Range{Duration(10), Duration(86'400'000)}, Alias{"wall_most"}},
                {"stop_timeout", &upstreams::SandboxLimits::grace,
                 "Time between SIGTERM and SIGKILL for a program that exceeded its duration.",
                 Range{Duration(0), Duration(60'000)}, Alias{"grace"}},
                {"max_output_size", &upstreams::SandboxLimits::output,
                 "Maximum size stored of each output of a program. The program may write more.",
                 Range{Bytes{1024}, Bytes{16 << 20}}, Alias{"output"}},
            })});
  return kFields;
}

template <>
const config::Fields& config::fields<upstreams::SandboxPoolSettings>() {
  static const Fields kFields = fields_of<upstreams::SandboxPoolSettings>({
      {"size", &upstreams::SandboxPoolSettings::size, "Number of sandboxes started in advance.",
       Range{0, 1'000}},
      {"max_concurrent_starts", &upstreams::SandboxPoolSettings::starts,
       "Maximum number of sandboxes starting at the same time.", Range{1, 64}, Alias{"starts"}},
  });
  return kFields;
}

template <>
const config::Fields& config::fields<upstreams::MicrovmSettings>() {
  static const Fields kFields = fields_of<upstreams::MicrovmSettings>({
      {"socket", &upstreams::MicrovmSettings::socket,
       "Unix socket of the machine. With a command, {folder} in it is a separate folder for "
       "each machine. Without one, the machine already runs and hosts all sandboxes."},
      {"command", &upstreams::MicrovmSettings::command,
       "Program that runs one machine until it is stopped."},
      {"args", &upstreams::MicrovmSettings::args,
       "Arguments of the program; {folder}, {socket}, {memory_mib} and {vcpus} are replaced."},
      {"token", &upstreams::MicrovmSettings::token,
       "Token sent to the agent first, if it requires one."},
      {"port", &upstreams::MicrovmSettings::port, "Port of the agent in the machine.",
       Range{1, 2'147'483'647}},
  });
  return kFields;
}

template <>
const config::Fields& config::fields<upstreams::RemoteAgentSettings>() {
  static const Fields kFields = fields_of<upstreams::RemoteAgentSettings>({
      {"address", &upstreams::RemoteAgentSettings::address, "Address of the agent: host:port."},
      {"token", &upstreams::RemoteAgentSettings::token,
       "Token sent first, if the agent requires one."},
      {"secure", &upstreams::RemoteAgentSettings::secure,
       "Whether the connection uses TLS. Without TLS, the agent must be on this machine."},
      {"tls", &upstreams::RemoteAgentSettings::tls, "TLS settings of the connection."},
  });
  return kFields;
}

template <>
const config::Fields& config::fields<upstreams::SandboxSettings>() {
  static const Fields kFields = fields_of<upstreams::SandboxSettings>({
      {"engine", &upstreams::SandboxSettings::engine,
       "Isolation: bubblewrap (namespaces), microvm, remote (an agent elsewhere), or none."},
      {"allow_none", &upstreams::SandboxSettings::allow_none,
       "Allows `engine: none`, which runs programs without isolation, as the gateway's own user."},
      {"limits", &upstreams::SandboxSettings::limits, "Limits of each sandbox."},
      {"ttl", &upstreams::SandboxSettings::ttl,
       "How long an unused sandbox is retained, unless its creator sets a time.",
       Range{Duration(1'000), Duration(604'800'000)}},
      {"max_ttl", &upstreams::SandboxSettings::ttl_most, "Maximum ttl that the creator may set.",
       Range{Duration(1'000), Duration(604'800'000)}, Alias{"ttl_most"}},
      {"max_sandboxes", &upstreams::SandboxSettings::most,
       "Maximum number of sandboxes of all callers.", Range{1, 10'000}, Alias{"most"}},
      {"max_sandboxes_per_caller", &upstreams::SandboxSettings::most_each,
       "Maximum number of sandboxes per caller.", Range{1, 10'000}, Alias{"most_each"}},
      {"pool", &upstreams::SandboxSettings::pool, "Sandboxes started in advance."},
      {"start_timeout", &upstreams::SandboxSettings::start_time, "Maximum time to start a sandbox.",
       Range{Duration(10), Duration(600'000)}, Alias{"start_time"}},
      {"max_content_size", &upstreams::SandboxSettings::content,
       "Maximum size of file content per read or write.", Range{Bytes{1024}, Bytes{1 << 30}},
       Alias{"content"}},
      {"max_command_size", &upstreams::SandboxSettings::command,
       "Maximum size of a command or of code.", Range{Bytes{64}, Bytes{64 << 20}},
       Alias{"command"}},
      {"max_entries", &upstreams::SandboxSettings::entries,
       "Maximum number of folder entries listed.", Range{1, 1'000'000}, Alias{"entries"}},
      {"file_threads", &upstreams::SandboxSettings::file_threads,
       "Number of threads that read and write files of sandboxes.", Range{1, 64}},
      {"agent", &upstreams::SandboxSettings::agent,
       "Agent program inside the sandbox. Empty: patchbay-agent next to the gateway's program, "
       "else the gateway's program itself."},
      {"read", &upstreams::SandboxSettings::read,
       "Files and folders of the machine that are visible read-only in all sandboxes."},
      {"network", &upstreams::SandboxSettings::network,
       "none: only a private loopback. host: the machine's network."},
      {"egress", &upstreams::SandboxSettings::egress,
       "Destinations reachable through a proxy of the gateway, without a network: host:port, "
       "host (443 and 80), *.domain. Addresses of this machine and of private networks are "
       "reachable only if an entry is that address."},
      {"egress_limits", &upstreams::SandboxSettings::egress_limits,
       "Limits of the connections of each sandbox through that proxy."},
      {"root", &upstreams::SandboxSettings::root,
       "Folder with another system's /usr, /bin, /lib…. Empty: the programs of this machine."},
      {"bwrap", &upstreams::SandboxSettings::bwrap,
       "Program bubblewrap: a path, or a name found in PATH."},
      {"microvm", &upstreams::SandboxSettings::microvm, "Settings of `engine: microvm`."},
      {"remote", &upstreams::SandboxSettings::remote, "Settings of `engine: remote`."},
  });
  return kFields;
}

}  // namespace patchbay
