// A Configuration is a file that has been read and is valid: the settings, and the factory of each
// upstream. An invalid file yields all its faults instead.
//
// Values only.
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "app/examine_upstream.h"
#include "app/registry.h"
#include "app/settings.h"
#include "config/node.h"
#include "gateway/call/identity.h"
#include "gateway/catalog/curation.h"
#include "policy/rules/rules.h"
#include "telemetry/collector.h"

namespace patchbay::app {

// What separates an upstream from the machine, and its callers from each other.
struct UpstreamProtection {
  bool sandbox = false;
  bool network = true;    // That of the machine.
  std::string user = {};  // Of a program without a sandbox; empty: the gateway's own.
  int separation = 0;     // Of callers: a higher number for a stricter `isolation`.
};

struct UpstreamPlan {
  std::string name;
  std::string kind;
  std::string digest;  // Changes when the settings of its kind do.
  gateway::UpstreamSettings settings;
  MakeUpstream make;
  std::string path = {};         // Where it is configured, for messages.
  ExamineUpstream examine = {};  // Null: it needs nothing of this machine.
  UpstreamProtection protection = {};
};

struct Configuration {
  std::string file;                // Empty: the defaults.
  std::vector<std::string> files;  // All files that were read, except those that `auth` names.
  bool blank = false;              // There is a file, and it is empty.
  bool names_upstreams = true;     // False: the default ones run, because it names none.
  std::string text = {};           // Of the file.
  std::string digest;
  std::map<std::string, std::string> sections;  // The digest of each section, and of each upstream.
  Settings settings;
  std::shared_ptr<const net::TlsContext> tls;  // Of the TLS listener; null: none.
  std::shared_ptr<const net::TlsContext>
      wire_tls;  // Of the wire protocol's TCP listener; null: plain.
  std::shared_ptr<const telemetry::Collector> collector;  // Null: nothing is exported.
  std::vector<UpstreamPlan> upstreams;
  std::shared_ptr<const policy::Rules> rules;  // Null: every caller may use everything.
  std::shared_ptr<const upstreams::AllowedCommands> allowed;  // Null: any program is allowed.
  gateway::Identity identity;        // The name and version that the gateway states.
  std::vector<std::string> ignored;  // Properties that have no meaning here.
  config::Faults notes;              // Old keys, and their current names.
  config::Faults warnings;           // Settings without effect here.
};

// The options of the command line; they override the file.
struct Overrides {
  std::string properties = {};  // A further file, see app/properties.h; empty: none.
  std::string listen = {};
  std::string tls_listen = {};
  std::string wire_listen = {};
  std::optional<log::Level> log_level = {};
  std::optional<log::Format> log_format = {};
};

// Reads `file`; an empty name means the defaults. Look at the result only if no fault was added.
Configuration load_configuration(const std::string& file, const Overrides& overrides,
                                 config::Faults& faults);

// Logs each old key that was used, with its current name.
void log_notes(const config::Faults& notes);

// The same for settings without effect, such as those of another client that are not read.
void log_warnings(const config::Faults& warnings);

// The file to use: the given one, else PATCHBAY_CONFIG, else ./patchbay.yaml, else none.
std::string choose_configuration(const std::string& given);

// Where the gateway stores its state; empty: nowhere.
std::string state_folder(const Settings& settings);

// The whole configuration as a description, for people and editors.
config::Shape configuration_shape();

}  // namespace patchbay::app
