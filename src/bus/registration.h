// A Registration describes what an agent offers: one record of the registry topic. It is read in
// the form of every generation of agents, and written so that all of them can read it. Pure.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "core/result.h"

namespace patchbay::bus {

struct Registration {
  std::string name;
  std::string description;
  std::string request_topic;
  std::string response_topic;
  std::string correlation_field = "correlationId";
  bool is_resource = false;
  std::string mime_type = {};  // Of a resource.
  std::string url = {};        // Of a resource, without a leading slash; may be a template.
  // Of a resource: whether it is the latest record of its response topic. Nothing: the default of
  // the reader.
  std::optional<bool> from_topic = {};

  bool operator==(const Registration&) const = default;
};

// Parses the value of a record. The error names the wrong member. Unknown members are ignored.
Result<Registration> read_registration(std::string_view value);

// The value, always with its type.
std::string write_registration(const Registration& registration);

// The name in the key of a record: {"name":…}, or the text itself. Empty if it has none.
std::string registered_name(std::string_view key);
std::string registration_key(std::string_view name);

// The schemas of key and value for the Schema Registry.
extern const std::string_view kRegistrationKeySchema;
extern const std::string_view kRegistrationSchema;

// True if that is a valid name of a topic.
bool is_topic_name(std::string_view name);

inline constexpr std::size_t kMostName = 256;
inline constexpr std::size_t kMostDescription = 16 * 1024;

}  // namespace patchbay::bus
