// The server lists of other clients: Claude Desktop, Claude Code, Cursor, VS Code, Gemini CLI, Zed,
// Codex, Windsurf, Cline and opencode. Each of their sections is translated in place, so that the
// gateway runs the file unchanged and `import` prints it.
//
// Values only; reads the environment.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "app/client_text.h"
#include "config/node.h"

namespace patchbay::app {

// Top-level keys of sections that only other clients have.
std::span<const std::string_view> client_sections();

// Whether `root` is the file of another client, whose other settings do not apply to the gateway.
bool is_client_file(const config::Node& root, const std::string& file);

// Translates the entries of every client's section into our notation. `file` is the file of `root`;
// `notes` gets the omitted parts with reasons. REQUIRES: ${…} in `root` is not resolved yet.
void translate_clients(config::Node& root, const std::string& file, config::Faults& faults,
                       config::Faults& notes);

// Values that the file asks its user for, and that its servers use.
std::vector<ClientInput> client_inputs(const config::Node& root);

// A configuration of ours or of another client, ready to be read: parsed, translated, resolved.
// Files that ${…} names are added to `files`, if given.
config::Node load_configuration_file(const std::string& file, config::Faults& faults,
                                     config::Faults& notes,
                                     std::vector<std::string>* files = nullptr);

}  // namespace patchbay::app
