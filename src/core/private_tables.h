// The tables of osquery that may be read only if the configuration allows it: they access the
// network, copy files, or reveal what people typed and programs store privately. Goals and the
// osquery server have the same list.
#pragma once

#include <array>
#include <string_view>

namespace patchbay {

inline constexpr std::array<std::string_view, 9> kPrivateTables{
    "carves",        "curl", "curl_certificate", "process_envs", "process_memory_map", "shadow",
    "shell_history", "yara", "yara_events"};

}  // namespace patchbay
