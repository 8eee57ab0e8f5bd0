#include "frontends/admin/upstream_json.h"

#include <fmt/format.h>

#include "json/write.h"
#include "policy/audit/record.h"

namespace patchbay::frontends {

std::string upstream_object(const UpstreamLine& line, const LoadCounters& counters) {
  std::string text;
  json::Object object(text);
  object.raw("name", json::quote(line.name));
  object.raw("kind", json::quote(line.kind));
  object.raw("state", line.state.up ? "\"up\"" : "\"down\"");
  object.raw("detail", json::quote(line.state.detail));
  object.raw("mode", json::quote(name_of(line.switched.mode)));
  if (line.switched.mode != UpstreamMode::enabled) {
    std::string override_of;
    json::Object by(override_of);
    if (!line.switched.by.empty()) by.raw("by", json::quote(line.switched.by));
    by.raw("since", json::quote(policy::time_text(line.switched.when_ms)));
    by.end();
    object.raw("override", override_of);
  }
  object.raw("required", line.required ? "true" : "false");
  object.raw("tools", std::to_string(line.tools));
  object.raw("in_flight", fmt::format("{}", counters.in_flight));
  object.raw("instances", fmt::format("{}", counters.instances));
  object.raw("restarts", fmt::format("{}", counters.restarts));
  object.raw("calls", fmt::format("{}", counters.calls));
  object.raw("errors", fmt::format("{}", counters.errors));
  object.end();
  return text;
}

}  // namespace patchbay::frontends
