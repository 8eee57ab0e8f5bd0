// The requests of OTLP: calls as spans, metrics, and log lines. Attributes have the names of the
// semantic conventions of OpenTelemetry for MCP and generative AI; attributes that these do not
// define begin with `patchbay.`. docs/observability.md lists the attributes of spans.
//
// Pure, except for new span ids; used on the thread of the exporter.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

#include "observe/log_export.h"
#include "observe/metrics_snapshot.h"
#include "telemetry/otlp_resource.h"
#include "trace/exported_call.h"

namespace patchbay::telemetry {

// Each appends a whole request to `out`, and returns its number of items: calls, points, lines.
std::size_t encode_calls(Encoding encoding, const Resource& resource,
                         std::span<const trace::ExportedCall> calls, OtlpBuffer& out);
std::size_t encode_metrics(Encoding encoding, const Resource& resource,
                           const metrics::Snapshot& snapshot, std::int64_t now_unix_ns,
                           OtlpBuffer& out);
std::size_t encode_lines(Encoding encoding, const Resource& resource,
                         const log::ExportedLines& lines, OtlpBuffer& out);

}  // namespace patchbay::telemetry
