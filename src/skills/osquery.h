// The skill `osquery`: answers questions about this machine with the tool of an osquery MCP server,
// which runs as a child. A table of questions maps plain text to SQL; SQL itself is passed on if
// goals.osquery.raw_sql allows it. Stateless; runs on any worker.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "core/result.h"
#include "skills/skill.h"

namespace patchbay {

// The SQL for `question`, which is plain text or SQL.
Result<std::string> osquery_sql(std::string_view question,
                                const gateway::OsqueryGoalSettings& settings);

// Fails unless `sql` is one statement that begins like one that reads. The end of a statement is
// found as SQL does: not inside quotes or comments. Variables are refused, since engines disagree
// about their extent.
Result<void> check_reading_sql(std::string_view sql);

// Fails if `sql` contains the name of one of these tables, bare or in any quotes. The check may
// refuse more than the SQL reads, but never less. REQUIRES: check_reading_sql() finds nothing
// wrong.
Result<void> check_tables(std::string_view sql, const std::vector<std::string>& denied);

// The name of the SQL argument of a tool with this raw definition: `sql` or `query`.
std::string_view sql_argument(std::string_view definition);

extern const Skill kOsquerySkill;

}  // namespace patchbay
