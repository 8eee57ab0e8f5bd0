// The options of the commands that write files: init, add, remove, connect.
#pragma once

#include "cli/connect_command.h"
#include "cli/edit_config.h"

namespace CLI {
class App;
}

namespace patchbay::app {

void add_init_options(CLI::App& command, InitOptions& options);
void add_connect_options(CLI::App& command, ConnectOptions& options);

// `adds`: of `add`, which also takes a server.
void add_edit_options(CLI::App& command, EditOptions& options, bool adds);

}  // namespace patchbay::app
