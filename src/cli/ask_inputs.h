// Asks on the terminal for what the file of another client leaves to its user (`inputs` of VS
// Code).
//
// The main thread of a command, before there are others: answers become environment variables.
#pragma once

#include <string>

namespace patchbay::app {

// Does nothing without a terminal: a missing value is then a fault of the file.
void ask_inputs(const std::string& file);

}  // namespace patchbay::app
