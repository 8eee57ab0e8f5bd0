// The settings of the osquery server.
//
// Values only.
#pragma once

#include <string>
#include <vector>

#include "config/settings.h"
#include "core/private_tables.h"

namespace patchbay::osquery {

enum class Engine : std::uint8_t {
  either,    // osqueryi if it is installed, else the built-in tables.
  osqueryi,  // Only osqueryi.
  builtin,
};

struct Settings {
  Engine engine = Engine::either;
  std::string osqueryi = "osqueryi";
  config::Duration timeout{30'000};
  config::Duration cpu_timeout{10'000};
  int rows = 10'000;
  config::Bytes bytes{4 << 20};
  config::Bytes memory{200'000'000};
  config::Bytes statement{64 << 10};
  int queries = 2;
  int waiting = 1'000;
  config::Duration denied_for{3'600'000};
  std::vector<std::string> allowed_tables;
  std::vector<std::string> denied_tables{kPrivateTables.begin(), kPrivateTables.end()};
  std::vector<std::string> file_roots{"/bin",  "/boot", "/etc", "/lib", "/opt",
                                      "/sbin", "/srv",  "/usr", "/var"};
  config::Bytes hash_size{64 << 20};
  bool extra_tools = false;
  config::Dict<std::string> templates{
      {"system_info", "SELECT * FROM system_info"},
      {"processes", "SELECT pid, name, cmdline FROM processes"},
      {"users", "SELECT username, uid FROM users"},
  };
};

// `cpu_timeout` in the kernel's unit.
inline std::uint64_t cpu_seconds(const Settings& settings) {
  return static_cast<std::uint64_t>(
      std::chrono::ceil<std::chrono::seconds>(settings.cpu_timeout).count());
}

// The errors of a query that was aborted.
Error too_much_time(const Settings& settings);
Error too_much_processor(const Settings& settings);
Error too_much_memory(const Settings& settings);
Error too_many_rows(const Settings& settings);
Error too_many_bytes(const Settings& settings);

}  // namespace patchbay::osquery

namespace patchbay {

template <>
inline constexpr auto config::choices<osquery::Engine> = std::array{
    Choice{"auto", osquery::Engine::either},
    Choice{"osqueryi", osquery::Engine::osqueryi},
    Choice{"builtin", osquery::Engine::builtin},
};

template <>
const config::Fields& config::fields<osquery::Settings>();

}  // namespace patchbay
