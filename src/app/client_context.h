// What is the same for all entries in the file of another client. Values only.
#pragma once

#include <cstdint>
#include <string>

#include "app/client_text.h"
#include "config/node.h"

namespace patchbay::app {

// Zed counts in seconds, at most 600 of them, and counted in milliseconds before.
enum class TimeUnit : std::uint8_t { seconds, milliseconds, zed };

struct ClientContext {
  const std::string& file;
  ClientVariables variables;
  TimeUnit timeout_unit = TimeUnit::milliseconds;
  bool url_first = false;        // Of an entry with a command and a URL, the URL is used.
  std::string default_cwd = {};  // Of programs; empty: the gateway's own.
  config::Faults& faults;
  config::Faults& notes;  // What is left out, and why.
};

}  // namespace patchbay::app
