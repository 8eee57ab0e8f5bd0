// A client of librdkafka made from a Connection. For the files of this folder only.
#pragma once

#include <initializer_list>

#include "bus/connection.h"
#include "bus/rdkafka.h"

namespace patchbay::bus {

// What somebody needs a client to be set to.
using Choices = std::initializer_list<std::pair<std::string_view, std::string_view>>;

// A client that tells of `events`, set to our defaults, then what the connection says, then what
// must be so. Whoever gets it ends it.
Result<rd_kafka_t*> make_client(rd_kafka_type_t type, const Connection& connection, int events,
                                Choices defaults, Choices forced);

// What an event of type RD_KAFKA_EVENT_ERROR says, with what to do about it where that is known.
Error trouble_of(rd_kafka_event_t* event);

}  // namespace patchbay::bus
