// How a bus is reached: librdkafka's own properties, under its own names. Values only.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "bus/bearer_token.h"
#include "core/result.h"

namespace patchbay::bus {

using Properties = std::vector<std::pair<std::string, std::string>>;

struct Connection {
  Properties properties;     // bootstrap.servers among them.
  std::string name;          // Our client id at the brokers and in the log.
  bool embedded = false;     // The embedded bus, which needs other defaults.
  BearerSource bearer = {};  // For brokers that require SASL OAUTHBEARER.
};

// Code::invalid_params for the first property that librdkafka does not know or refuses. The message
// names it, and never contains a value, which may be secret.
Result<void> check_properties(const Properties& properties);

// The value of a property; empty if it is not there.
std::string property(const Properties& properties, std::string_view name);

}  // namespace patchbay::bus
