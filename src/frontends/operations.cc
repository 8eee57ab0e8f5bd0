#include "frontends/operations.h"

#include <fmt/format.h>

#include "json/text.h"

namespace patchbay::frontends {

std::string upstream_json(const UpstreamLine& line) {
  return fmt::format(R"({{"name":{},"kind":{},"state":"{}","detail":{},"tools":{}}})",
                     json::quote(line.name), json::quote(line.kind), line.state.up ? "up" : "down",
                     json::quote(line.state.detail), line.tools);
}

}  // namespace patchbay::frontends
