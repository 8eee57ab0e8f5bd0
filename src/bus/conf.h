// A client of librdkafka made from a Connection. For the files of this folder only.
#pragma once

#include <initializer_list>

#include "bus/connection.h"
#include "bus/rdkafka.h"

namespace patchbay::bus {

// Settings that a user of a client requires.
using Choices = std::initializer_list<std::pair<std::string_view, std::string_view>>;

// A client that reports `events`, with our defaults, then the settings of the connection, then the
// required ones. The caller owns it.
Result<rd_kafka_t*> make_client(rd_kafka_type_t type, const Connection& connection, int events,
                                Choices defaults, Choices forced);

// The message of an event of type RD_KAFKA_EVENT_ERROR, with a remedy where one is known.
Error trouble_of(rd_kafka_event_t* event);

}  // namespace patchbay::bus
