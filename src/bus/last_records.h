// The newest records of a topic, for people who look at it. Blocks, for threads that may. For the
// files of this folder only.
#pragma once

#include <string>
#include <vector>

#include "bus/lookup.h"
#include "bus/stored_record.h"

namespace patchbay::bus {

// The newest first. REQUIRES: `client` is a consumer that reads nothing of that topic.
Result<std::vector<StoredRecord>> last_records(rd_kafka_t* client, const std::string& topic,
                                               const PeekBounds& bounds, const Timeout& timeout);

}  // namespace patchbay::bus
