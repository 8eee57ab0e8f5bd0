// The command line of the program patchbay-agent, which has no library for it. Its options are
// those of `patchbay agent`: both read the tables of settings.h.
//
// Values only.
#pragma once

#include <cstdint>
#include <span>
#include <string>

#include "agent/settings.h"
#include "core/result.h"

namespace patchbay::agent {

enum class CommandLineAction : std::uint8_t { run, help, version };

// Parses `args`, without the program's name, into `settings`. Code::invalid_params, with the
// correct form, if they are wrong.
Result<CommandLineAction> parse_command_line(std::span<char* const> args, Settings& settings);

std::string usage();

}  // namespace patchbay::agent
