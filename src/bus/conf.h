// A configuration of librdkafka made from a Connection. For the files of this folder only.
#pragma once

#include <initializer_list>

#include "bus/connection.h"
#include "bus/rdkafka.h"

namespace patchbay::bus {

// What somebody needs a client to be set to.
using Choices = std::initializer_list<std::pair<std::string_view, std::string_view>>;

// Our defaults, then what the connection says, then what must be so.
Result<Owned<rd_kafka_conf_t>> make_conf(const Connection& connection, Choices defaults,
                                         Choices forced);

}  // namespace patchbay::bus
