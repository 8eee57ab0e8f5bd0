// A query process answers queries over the built-in tables, one after the other, until its stdin
// ends. It is this program again, started by the QueryPool with kQueriesCommand, and limited by the
// kernel: the memory and processor limits of a query are limits of the process, so a query that
// exceeds them ends the process.
//
// The process has one thread.
#pragma once

#include <array>
#include <cstdint>
#include <string>

#include "core/result.h"
#include "osquery/rows.h"
#include "osquery/settings.h"

namespace patchbay::osquery {

// The first argument of such a process. The second are its settings.
inline constexpr char kQueriesCommand[] = "answer-queries";

// Written to its stdin before each query...
struct QueryHead {
  std::uint32_t size = 0;  // Of the SQL that follows.
  Format format = Format::json;
};

// ...and read from its stdout before each answer.
struct AnswerHead {
  std::uint64_t size = 0;     // Of the rows that follow, or of the error message.
  std::uint32_t failure = 0;  // 0: there are rows. Else an index into kFailures, from 1.
};

// How a query can fail, as a number that both sides know.
inline constexpr std::array kFailures{Code::invalid_params, Code::forbidden, Code::too_large,
                                      Code::internal, Code::unavailable};

inline constexpr int kOutOfMemory = 12;  // The exit code of a process that needed more memory.

// The settings as an argument of the process, and back.
std::string write_settings(const Settings& settings);
Result<Settings> read_settings(std::string_view text);

// Answers queries from stdin. Yields an exit code.
int answer_queries(std::string_view settings);

}  // namespace patchbay::osquery
