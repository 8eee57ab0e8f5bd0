// The common part of commands that run a gateway: from a configuration to an exit code.
#pragma once

#include <functional>
#include <optional>
#include <string_view>

#include "app/configuration.h"
#include "app/gateway.h"

namespace patchbay::app {

// Runs a gateway with `run`, with signals and the log set up.
int run_gateway(Configuration configuration, const Overrides& overrides,
                const std::function<int(Gateway&)>& run);

void print_faults(const config::Faults& faults);
void print_notes(const config::Faults& notes);

// The value of that name; empty if there is none.
template <class E>
std::optional<E> chosen(std::string_view name) {
  for (const auto& choice : config::choices<E>) {
    if (choice.name == name) return choice.value;
  }
  return std::nullopt;
}

}  // namespace patchbay::app
