// The keys that clients write into the entry of a server, and how each is handled.
//
// Values only.
#pragma once

#include <cstdint>
#include <string_view>

namespace patchbay::app {

enum class KeyUse : std::uint8_t {
  shared,   // Read for every server.
  program,  // Read for a program.
  remote,   // Read for a server at a URL.
  ignored,  // Not read; `why` gives the consequence.
};

struct ClientKey {
  std::string_view name;
  KeyUse use;
  std::string_view why = {};    // For the note.
  bool off_is_nothing = false;  // With the value false nothing is lost.
};

// Null for a key that no known client has.
const ClientKey* find_client_key(std::string_view name);

}  // namespace patchbay::app
