// The section `audit`. Values only.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "config/settings.h"

namespace patchbay::policy {

enum class AuditArguments : std::uint8_t { none, digest, full };

struct AuditSettings {
  std::string file;
  config::Bytes rotate{64 << 20};
  int keep = 10;
  std::string database;
  config::Duration keep_time{0};
  AuditArguments arguments = AuditArguments::digest;
  std::vector<std::string> redact{"*password*", "*secret*",     "*token*",       "*api_key*",
                                  "*apikey*",   "*credential*", "authorization", "cookie"};
  bool required = false;
  bool sync = false;
  int queue = 10'000;
  int max_failed_log_ins = 60;
  int max_queries = 1;
  int max_queries_per_caller = 2;
  int max_queued_queries = 64;

  bool operator==(const AuditSettings&) const = default;
  bool on() const { return !file.empty() || !database.empty(); }
};

}  // namespace patchbay::policy

namespace patchbay {

template <>
inline constexpr auto config::choices<policy::AuditArguments> = std::array{
    Choice{"none", policy::AuditArguments::none},
    Choice{"digest", policy::AuditArguments::digest},
    Choice{"full", policy::AuditArguments::full},
};

template <>
const config::Fields& config::fields<policy::AuditSettings>();

}  // namespace patchbay
