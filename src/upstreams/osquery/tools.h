// The tools of the osquery server, as clients see them. Values only.
#pragma once

#include "mcp/items.h"
#include "osquery/settings.h"

namespace patchbay::osquery {

inline constexpr std::string_view kQueryTool = "query_osquery";
inline constexpr std::string_view kListTool = "list_tables";
inline constexpr std::string_view kDescribeTool = "describe_table";
inline constexpr std::string_view kProcessesTool = "get_processes";

mcp::ItemLists tool_items(const Settings& settings);

}  // namespace patchbay::osquery
