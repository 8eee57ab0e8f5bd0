// The server lists of other clients: Claude Desktop, Claude Code, Cursor, VS Code, Gemini CLI, Zed,
// Codex, Windsurf, Cline and opencode. Each section of theirs becomes one of ours, in place, so
// that the gateway runs the file as it is and `import` prints it. Values only; reads the
// environment.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "app/client_text.h"
#include "config/node.h"

namespace patchbay::app {

// The keys of sections that only other clients have, at the top of a file.
std::span<const std::string_view> client_sections();

// Whether `root` is the file of another client, whose other settings are not ours.
bool is_client_file(const config::Node& root, const std::string& file);

// Puts the entries of every client's section into our notation. `file` is where `root` is from;
// `notes` gets what is left out, with the reason. REQUIRES: ${…} in `root` is not resolved yet.
void translate_clients(config::Node& root, const std::string& file, config::Faults& faults,
                       config::Faults& notes);

// What the file asks its user for, and its servers use.
std::vector<ClientInput> client_inputs(const config::Node& root);

// A configuration of ours or of another client, ready to be read: parsed, translated, resolved. The
// files that ${…} names are added to `files`, if given.
config::Node load_configuration_file(const std::string& file, config::Faults& faults,
                                     config::Faults& notes,
                                     std::vector<std::string>* files = nullptr);

}  // namespace patchbay::app
