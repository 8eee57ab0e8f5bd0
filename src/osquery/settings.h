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
          "Engine that runs queries: osqueryi, builtin (the built-in tables), or auto (osqueryi if "
          "it is installed)."},
    Field{"osqueryi", &osquery::Settings::osqueryi,
          "Program osqueryi: a path, or a name found in PATH. No shell is involved."},
    Field{"timeout", &osquery::Settings::timeout, "Maximum duration of a query.",
          Range{Duration(10), Duration(3'600'000)}},
    Field{"cpu_timeout", &osquery::Settings::cpu_timeout,
          "Maximum processor time of a query, in whole seconds.",
          Range{Duration(1'000), Duration(3'600'000)}},
    Field{"max_rows", &osquery::Settings::rows, "Maximum number of rows in a result.",
          Range{1, 10'000'000}, Alias{"rows"}},
    Field{"max_result_size", &osquery::Settings::bytes, "Maximum size of a result.",
          Range{Bytes{1024}, Bytes{1 << 30}}, Alias{"bytes"}},
    Field{"max_memory", &osquery::Settings::memory, "Maximum memory of a query.",
          Range{Bytes{8 << 20}, Bytes{std::uint64_t{1} << 36}}, Alias{"memory"}},
    Field{"max_statement_size", &osquery::Settings::statement, "Maximum size of the SQL text.",
          Range{Bytes{64}, Bytes{1 << 20}}, Alias{"statement"}},
    Field{"max_queries", &osquery::Settings::queries,
          "Maximum number of queries running at the same time.", Range{1, 64}, Alias{"queries"}},
    Field{"max_queued_queries", &osquery::Settings::waiting,
          "Maximum number of queued queries. Further queries are refused.", Range{0, 100'000},
          Alias{"waiting"}},
    Field{"denylist_ttl", &osquery::Settings::denied_for,
          "How long a query is refused after it exceeded its time, rows or size.",
          Range{Duration(0), Duration(604'800'000)}, Alias{"denied_for"}},
    Field{"allowed_tables", &osquery::Settings::allowed_tables,
          "Tables that may be read. Empty: all that are not denied."},
    Field{"denied_tables", &osquery::Settings::denied_tables, "Tables that may never be read."},
    Field{"file_roots", &osquery::Settings::file_roots,
          "Folders whose files the built-in tables `file` and `hash` list."},
    Field{"max_hash_size", &osquery::Settings::hash_size,
          "Maximum size of a file that `hash` reads.",
          Range{Bytes{0}, Bytes{std::uint64_t{1} << 40}}, Alias{"hash_size"}},
    Field{"extra_tools", &osquery::Settings::extra_tools,
          "Offers list_tables, describe_table and get_processes, and the argument `template` of "
          "query_osquery."},
    Field{"templates", &osquery::Settings::templates,
          "Queries for the argument `template`, by name."},
};

}  // namespace patchbay
