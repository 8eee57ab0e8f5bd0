// The settings of the osquery server.
#pragma once

#include <string>
#include <vector>

#include "config/fields.h"

namespace patchbay::osquery {

enum class Engine : std::uint8_t {
  either,    // osqueryi where it is installed, else the built-in tables.
  osqueryi,  // osqueryi or nothing.
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
  // Tables that access the network, copy files, or reveal what people typed and programs store
  // privately.
  std::vector<std::string> denied_tables{
      "carves",        "curl", "curl_certificate", "process_envs", "process_memory_map", "shadow",
      "shell_history", "yara", "yara_events"};
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
inline constexpr auto config::fields<osquery::Settings> = std::tuple{
    Field{"engine", &osquery::Settings::engine,
          "Who answers: osqueryi, the built-in tables, or auto: osqueryi where it is installed."},
    Field{"osqueryi", &osquery::Settings::osqueryi,
          "The program osqueryi: a path, or a name found in PATH. No shell is involved."},
    Field{"timeout", &osquery::Settings::timeout, "The longest a query may take.",
          Range{Duration(10), Duration(3'600'000)}},
    Field{"cpu_timeout", &osquery::Settings::cpu_timeout,
          "The most processor time a query may use, in whole seconds.",
          Range{Duration(1'000), Duration(3'600'000)}},
    Field{"rows", &osquery::Settings::rows, "The most rows a query may yield.",
          Range{1, 10'000'000}},
    Field{"bytes", &osquery::Settings::bytes, "The largest answer.",
          Range{Bytes{1024}, Bytes{1 << 30}}},
    Field{"memory", &osquery::Settings::memory, "The most memory a query may hold.",
          Range{Bytes{8 << 20}, Bytes{std::uint64_t{1} << 36}}},
    Field{"statement", &osquery::Settings::statement, "The longest SQL text.",
          Range{Bytes{64}, Bytes{1 << 20}}},
    Field{"queries", &osquery::Settings::queries, "How many queries run at once.", Range{1, 64}},
    Field{"waiting", &osquery::Settings::waiting,
          "How many queries may wait for their turn; further ones are refused.", Range{0, 100'000}},
    Field{"denied_for", &osquery::Settings::denied_for,
          "How long a query is refused that has been cut for its time, rows or size.",
          Range{Duration(0), Duration(604'800'000)}},
    Field{"allowed_tables", &osquery::Settings::allowed_tables,
          "The tables that may be read; empty: all that are not denied."},
    Field{"denied_tables", &osquery::Settings::denied_tables,
          "Tables that may not be read, whatever else is said."},
    Field{"file_roots", &osquery::Settings::file_roots,
          "The folders whose files the built-in tables `file` and `hash` show."},
    Field{"hash_size", &osquery::Settings::hash_size, "The largest file that `hash` reads.",
          Range{Bytes{0}, Bytes{std::uint64_t{1} << 40}}},
    Field{"extra_tools", &osquery::Settings::extra_tools,
          "Offers list_tables, describe_table and get_processes, and the argument `template` of "
          "query_osquery."},
    Field{"templates", &osquery::Settings::templates, "The queries behind `template`, by name."},
};

}  // namespace patchbay
