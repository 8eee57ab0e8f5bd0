// One server in the file of another client as an entry of `upstreams`. Values only.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "app/client_text.h"
#include "config/node.h"

namespace patchbay::app {

enum class TimeUnit : std::uint8_t { seconds, milliseconds };

// What is the same for all entries of a file.
struct ClientContext {
  const std::string& file;
  ClientVariables variables;
  TimeUnit timeout_unit = TimeUnit::milliseconds;
  std::string default_cwd = {};  // Of programs; empty: the gateway's own.
  config::Faults& faults;
  config::Faults& notes;  // What is left out, and why.
};

// The entry in our notation, with its `kind`; nothing if it is left out (a note says why) or wrong
// (a fault says how). Values of ${…} are still to be resolved.
std::optional<config::Node> translate_entry(const config::Node& entry, const std::string& path,
                                            const ClientContext& context);

// A name that may be part of the names of tools, where models allow little.
std::string upstream_name(std::string_view name);

}  // namespace patchbay::app
