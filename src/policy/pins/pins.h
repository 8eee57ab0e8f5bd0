// Pins store how each tool was defined when it was first seen. A tool whose definition changes is
// no longer the tool that was trusted: the new definition waits until a person has accepted it.
//
// Confined to the control thread. The thread of the PinStore writes the pins.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "config/settings.h"
#include "core/result.h"
#include "mcp/items.h"
#include "policy/pins/pin.h"

namespace patchbay::policy {

enum class PinMode : std::uint8_t {
  warn,    // A changed tool is logged and stays available.
  block,   // A changed tool is hidden until it is accepted.
  ignore,  // Nothing is stored.
};

// The parts of a tool that a model or a person relies on: its name, title, description, schemas and
// annotations. Canonical; empty if it cannot be read.
std::string pinned_part(std::string_view definition);

class PinStore;

class Pins {
 public:
  // Without a store, pins last as long as this object.
  Pins();
  // `known` is the content of the store.
  Pins(std::unique_ptr<PinStore> store, PinMap known);
  ~Pins();

  // `most`: how many tools of one upstream are stored.
  void set(PinMode mode, std::size_t most) {
    mode_ = mode;
    most_ = most;
  }
  PinMode mode() const { return mode_; }

  // Compares the tools of an upstream with its pins, and pins new ones. Yields the tools that must
  // be hidden.
  std::set<std::string> look_at(std::string_view upstream, const std::vector<mcp::Item>& tools);

  // Why look_at() wants that tool hidden, as a sentence.
  std::string why_hidden(std::string_view upstream, const mcp::Item& tool) const;

  // The tools whose definitions have changed, by upstream and name.
  PinMap changes() const;

  // Accepts the changed definition of a tool, which must be the one with that digest: a person
  // accepts what it has seen. Code::not_found if it has not changed.
  Result<void> accept(const std::pair<std::string, std::string>& key, std::string_view digest);

  // Takes over definitions that another process accepted; true if there were any.
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
