// Pins remember how each tool was defined when it was first seen. A tool that later says something
// else of itself is no longer the tool that was trusted: its new definition waits until a person
// has accepted it.
//
// Lives on the control thread. What is remembered is written by the thread of its PinStore.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "config/fields.h"
#include "mcp/items.h"

namespace patchbay::policy {

enum class PinMode : std::uint8_t {
  warn,    // A changed tool is logged and stays.
  block,   // It is left out until it is accepted.
  ignore,  // Nothing is remembered.
};

struct Pin {
  std::string definition;       // Canonical, as accepted.
  std::string changed;          // What it says now; empty if it still says the same.
  std::int64_t first_seen = 0;  // Seconds since 1970.
  std::int64_t changed_at = 0;
};

// By upstream and the upstream's own name of the tool.
using PinMap = std::map<std::pair<std::string, std::string>, Pin>;

// What a tool says of itself that a model or a person goes by: its name, title, description,
// schemas and annotations. Canonical; empty if it cannot be read.
std::string pinned_part(std::string_view definition);

class PinStore;

class Pins {
 public:
  // Without a store nothing outlives this.
  Pins();
  // `known` is what the store holds.
  Pins(std::unique_ptr<PinStore> store, PinMap known);
  ~Pins();

  // `most`: how many tools of one upstream are remembered.
  void set(PinMode mode, std::size_t most) {
    mode_ = mode;
    most_ = most;
  }
  PinMode mode() const { return mode_; }

  // Compares what an upstream offers with what is remembered, and remembers what is new. Yields the
  // tools that must be left out.
  std::set<std::string> look_at(std::string_view upstream, const std::vector<mcp::Item>& tools);

  // Takes over what was accepted elsewhere; true if anything was.
  bool read_again();

 private:
  bool look_at(std::pair<std::string, std::string> key, const mcp::Item& tool);

  PinMode mode_ = PinMode::warn;
  std::size_t most_ = 10'000;
  std::unique_ptr<PinStore> store_;
  PinMap pins_;
  std::map<std::string, std::size_t, std::less<>> counts_;  // Of pins, by upstream.
};

}  // namespace patchbay::policy

namespace patchbay {

template <>
inline constexpr auto config::choices<policy::PinMode> = std::array{
    Choice{"warn", policy::PinMode::warn},
    Choice{"block", policy::PinMode::block},
    Choice{"ignore", policy::PinMode::ignore},
};

}  // namespace patchbay
