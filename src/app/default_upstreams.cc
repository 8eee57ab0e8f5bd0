#include "app/default_upstreams.h"

#include "config/make_node.h"

namespace patchbay::app {

using config::list_node;
using config::map_node;
using config::text_node;

// /proc/self/exe is the running program, even if its file has been replaced meanwhile.
config::Node osquery_upstream() {
  return map_node({{"kind", 0, text_node("stdio")},
                   {"command", 0, text_node("/proc/self/exe")},
                   {"args", 0, list_node({"osquery"})},
                   {"env_pass", 0, list_node({"MCP_DEBUG"})}});
}

config::Node default_upstreams() {
  return map_node({{std::string(kSkillsName), 0, map_node({{"kind", 0, text_node("builtin")}})},
                   {std::string(kOsqueryName), 0, osquery_upstream()}});
}

}  // namespace patchbay::app
