// `patchbay bus register|unregister|list|produce|consume|lag|serve`: the options of `patchbay bus`.
#pragma once

#include "cli/bus_serve.h"
#include "cli/bus_verbs.h"

namespace CLI {
class App;
class Option;
}  // namespace CLI

namespace patchbay::app {

class BusCommands {
 public:
  // REQUIRES: `bus` outlives this.
  explicit BusCommands(CLI::App& bus);
  BusCommands(const BusCommands&) = delete;
  BusCommands& operator=(const BusCommands&) = delete;

  // Runs the chosen command; yields the exit code.
  int run() const;

 private:
  void add_register(CLI::App& bus);
  void add_records(CLI::App& bus);
  void add_serve(CLI::App& bus);

  BusRegisterOptions registration_;
  BusOptions list_options_;
  BusRecordOptions record_;
  BusConsumeOptions consume_options_;
  BusLagOptions lag_options_;
  BusServeOptions serve_options_;
  CLI::App* register_ = nullptr;
  CLI::App* unregister_ = nullptr;
  CLI::App* list_ = nullptr;
  CLI::App* produce_ = nullptr;
  CLI::App* consume_ = nullptr;
  CLI::App* lag_ = nullptr;
  CLI::App* serve_ = nullptr;
  const CLI::Option* key_ = nullptr;
  const CLI::Option* value_ = nullptr;
};

}  // namespace patchbay::app
