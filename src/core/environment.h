// The environment of the process, from which secrets are taken out once they have been read. What
// is taken out stays known here, so that it can be read again: a reload needs it, and a program
// that is started anew.
//
// Other programs of the same user can read the block of variables that the kernel gave us; what is
// taken out is overwritten there. Callable on any thread.
#pragma once

#include <array>
#include <optional>
#include <string>
#include <string_view>

namespace patchbay {

// What every program gets of our own environment: where to find things, and how the user likes
// them. Never taken out.
inline constexpr std::array<const char*, 10> kUsualVariables{
    "PATH", "HOME", "USER", "LOGNAME", "SHELL", "TERM", "LANG", "LC_ALL", "TMPDIR", "TZ"};

// A variable; empty if it is not set.
std::optional<std::string> read_variable(const std::string& name);

// The same for one that may be a secret: from now on it can be read here only. Usual variables, and
// those that libraries read for themselves, stay where they are.
std::optional<std::string> take_variable(const std::string& name);

}  // namespace patchbay
