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

enum class Asking : std::uint8_t { run, help, version };

// Reads `words`, without the program's name, into `settings`. Code::invalid_params, with what to
// write instead, if they are wrong.
Result<Asking> parse_command_line(std::span<char* const> words, Settings& settings);

std::string usage();

}  // namespace patchbay::agent
