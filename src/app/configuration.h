// A Configuration is a file that has been read and found good: the settings, and what to make each
// upstream from. A bad file yields faults instead, all of them.
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

namespace patchbay::app {

struct UpstreamPlan {
  std::string name;
  std::string kind;
  std::string digest;  // Changes when the settings of its kind do.
  gateway::UpstreamSettings settings;
  MakeUpstream make;
  std::string path = {};         // Where it is configured, for messages.
  ExamineUpstream examine = {};  // Null: it needs nothing of this machine.
};

struct Configuration {
  std::string file;                // Empty: the defaults.
  std::vector<std::string> files;  // All that were read, but for those that `auth` names.
  bool blank = false;              // There is a file, and it is empty.
  std::string digest;
  std::map<std::string, std::string> sections;  // The digest of each, and of each upstream.
  Settings settings;
  std::shared_ptr<const net::TlsContext> tls;       // Of the TLS listener; null: there is none.
  std::shared_ptr<const net::TlsContext> wire_tls;  // Of the wire's TCP listener; null: plain.
  std::vector<UpstreamPlan> upstreams;
  std::shared_ptr<const policy::Rules> rules;                 // Null: everybody may use everything.
  std::shared_ptr<const upstreams::AllowedCommands> allowed;  // Null: any program may be run.
  gateway::Identity identity;                                 // Who the gateway says it is.
  std::vector<std::string> ignored;                           // Properties that mean nothing here.
  config::Faults notes;                                       // Old keys, and their current names.
  config::Faults warnings;                                    // Settings without effect here.
};

// The options of the command line; they take precedence over the file.
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

// The same for settings that have no effect, such as those of another client that are not read.
void log_warnings(const config::Faults& warnings);

// The file to use: the one given, else PATCHBAY_CONFIG, else ./patchbay.yaml, else none.
std::string choose_configuration(const std::string& given);

// Where the gateway stores its state; empty: nowhere.
std::string state_folder(const Settings& settings);

// The whole configuration as a description, for people and editors.
config::Shape configuration_shape();

}  // namespace patchbay::app
