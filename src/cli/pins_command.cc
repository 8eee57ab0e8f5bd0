// pins: the stored definitions of tools, read from and written to the state folder of a gateway.
#include <fmt/chrono.h>
#include <fmt/format.h>

#include <ctime>

#include "app/configuration.h"
#include "app/run_gateway.h"
#include "cli/commands.h"
#include "cli/terminal.h"
#include "crypto/sha256.h"
#include "json/diff.h"
#include "json/write.h"
#include "policy/pins/store.h"

namespace patchbay::app {
namespace {

using policy::Pin;
using policy::PinStore;

constexpr std::size_t kMostDifferences = 1'000;

std::string name_of(const PinStore::Key& key) {
  return fmt::format("{}.{}", key.first, key.second);
}

std::string state_of(const Pin& pin) { return pin.changed.empty() ? "same" : "changed"; }

std::string time_of(std::int64_t seconds) {
  return fmt::format("{:%Y-%m-%dT%H:%M:%SZ}", fmt::gmtime(static_cast<std::time_t>(seconds)));
}

// The selected tools: those named, or all that have changed.
bool is_meant(const PinsOptions& options, const PinStore::Key& key) {
  if (options.tools.empty()) return true;
  return std::ranges::find(options.tools, name_of(key)) != options.tools.end();
}

void print_list(const policy::PinMap& pins, const PinsOptions& options) {
  std::string list;
  for (const auto& [key, pin] : pins) {
    if (!is_meant(options, key)) continue;
    if (!options.json) {
      print("{}  {}  {}  {}\n", state_of(pin), policy::sha256(pin.definition).substr(0, 16),
            time_of(pin.first_seen), name_of(key));
      continue;
    }
    std::string text;
    json::Object object(text);
    object.raw("tool", json::quote(name_of(key)));
    object.raw("state", json::quote(state_of(pin)));
    object.raw("first_seen", std::to_string(pin.first_seen));
    object.raw("definition", pin.definition);
    if (!pin.changed.empty()) object.raw("changed", pin.changed);
    object.end();
    list += (list.empty() ? "" : ",") + text;
  }
  if (options.json) print_raw(fmt::format("[{}]\n", list));
}

void print_differences(const policy::PinMap& pins, const PinsOptions& options) {
  for (const auto& [key, pin] : pins) {
    if (pin.changed.empty() || !is_meant(options, key)) continue;
    print("{}, changed {}\n", name_of(key), time_of(pin.changed_at));
    for (const auto& one : json::differences(pin.definition, pin.changed, kMostDifferences)) {
      if (!one.before.empty()) print("- {} {}\n", one.pointer, one.before);
      if (!one.after.empty()) print("+ {} {}\n", one.pointer, one.after);
    }
  }
}

int accept(PinStore& store, const policy::PinMap& pins, const PinsOptions& options) {
  if (options.tools.empty() && !options.all) {
    complain("patchbay: which tool? patchbay pins accept UPSTREAM.TOOL…, or --all\n");
    return kExitUsage;
  }
  int accepted = 0;
  for (const auto& [key, pin] : pins) {
    if (pin.changed.empty() || !is_meant(options, key)) continue;
    auto done = store.accept(key);
    if (!done) {
      complain("patchbay: {}\n", done.error().message);
      return kExitFailed;
    }
    print("accepted {}\n", name_of(key));
    ++accepted;
  }
  if (accepted > 0 || options.all) return kExitOk;
  complain("patchbay: no such tool has changed; see patchbay pins diff\n");
  return kExitUnknown;
}

}  // namespace

int pins(const PinsOptions& options) {
  std::string folder = options.state;
  if (folder.empty()) {
    config::Faults faults;
    const auto configuration = load_configuration(choose_configuration(options.config), {}, faults);
    if (!faults.empty()) {
      report_faults(faults);
      return kExitConfiguration;
    }
    folder = state_folder(configuration.settings);
  }
  if (folder.empty()) {
    complain(
        "patchbay: no state folder, so nothing is stored; set `state` in the configuration, "
        "or give --state\n");
    return kExitConfiguration;
  }
  auto store = PinStore::open(folder);
  auto known = store ? (*store)->read() : Result<policy::PinMap>(store.error());
  if (!known) {
    complain("patchbay: {}\n", known.error().message);
    return kExitFailed;
  }
  if (options.verb == "accept") return accept(**store, *known, options);
  if (options.verb == "diff") {
    print_differences(*known, options);
  } else {
    print_list(*known, options);
  }
  if (known->empty() && !options.json) complain("no tool has been pinned in {}\n", folder);
  return kExitOk;
}

}  // namespace patchbay::app
