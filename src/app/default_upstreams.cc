#include "app/default_upstreams.h"

#include "config/make_node.h"
#include "sandbox/examine.h"
#include "upstreams/kafka/plan.h"

namespace patchbay::app {

using config::bare_node;
using config::list_node;
using config::map_node;
using config::text_node;

// /proc/self/exe is the running program, even if its file has been replaced meanwhile. Programs
// that replace it support the oldest revision, expect its client under this name, and get exactly
// the messages that they know.
config::Node osquery_upstream() {
  config::Node client = map_node({{"name", 0, text_node("spring-ai-agent")},
                                  {"version", 0, text_node("1.0.0")},
                                  {"capabilities", 0, list_node({"tools"})}});
  config::Node protocol = map_node({{"revision", 0, text_node("2024-11-05")},
                                    {"ids", 0, text_node("string")},
                                    {"client", 0, std::move(client)}});
  return map_node({{"kind", 0, text_node("stdio")},
                   {"command", 0, text_node("/proc/self/exe")},
                   {"args", 0, list_node({"osquery"})},
                   {"env_pass", 0, list_node({"MCP_DEBUG"})},
                   {"request_progress", 0, bare_node("false")},
                   {"protocol", 0, std::move(protocol)}});
}

namespace {

// Starts nothing in advance: most users who try the gateway never create a sandbox.
config::Node sandbox_upstream() {
  return map_node(
      {{"kind", 0, text_node("sandbox")}, {"pool", 0, map_node({{"size", 0, bare_node("0")}})}});
}

}  // namespace

config::Node default_upstreams() {
  config::Node all =
      map_node({{std::string(kSkillsName), 0, map_node({{"kind", 0, text_node("builtin")}})},
                {std::string(kOsqueryName), 0, osquery_upstream()}});
  if (upstreams::names_bus(upstreams::process_environment())) {
    all.members.push_back(
        {std::string(kAgentsName), 0, map_node({{"kind", 0, text_node("kafka")}})});
  }
  if (sandbox::can_isolate({})) {
    all.members.push_back({std::string(kSandboxName), 0, sandbox_upstream()});
  }
  return all;
}

}  // namespace patchbay::app
