// The value of a reply record: its schema, and its JSON.
//
// Pure.
#pragma once

#include <string>
#include <string_view>

#include "bus/framing.h"
#include "core/result.h"
#include "upstreams/kafka/offer.h"

namespace patchbay::upstreams {

// Whether `known` is the schema of the value: the value names it, or names none; 0 is no valid id.
bool is_written_by(const AgentSchema& known, const bus::Unframed& value);

// The value as JSON that matches its schema. An Avro value is decoded into `decoded` and is valid
// if it can be decoded; a value that names no schema is JSON.
Result<std::string_view> json_of(const bus::Unframed& value, const AgentSchema& schema,
                                 std::string& decoded);

}  // namespace patchbay::upstreams
