// The blocking query for the lag of consumer groups. For the files of this folder only.
#pragma once

#include "bus/lag_report.h"
#include "bus/lookup.h"

namespace patchbay::bus {

// Code::unavailable if no broker answers.
Result<LagReport> find_agent_lag(rd_kafka_t* client, const LagQuestion& question,
                                 const Timeout& timeout);

}  // namespace patchbay::bus
